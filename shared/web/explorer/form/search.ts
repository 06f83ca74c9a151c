import type { Field } from '../question/catalogue.ts';

/** @returns whether every word of the text occurs in the field's title, name, group, meaning or other words */
export function matches({ title, name, group, description, aliases }: Field, text: string): boolean {
  const searched = `${title} ${name} ${group} ${description} ${aliases.join(' ')}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word));
}
