import type { Field } from '../question/catalogue.ts';

/** @returns whether every word of the text occurs in the field's title, name, group or meaning */
export function matches({ title, name, group, description }: Field, text: string): boolean {
  const searched = `${title} ${name} ${group} ${description}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word));
}
