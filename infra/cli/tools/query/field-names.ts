import { didYouMean } from '../../../../shared/catalog/describe/suggest.ts';
import type { Dimension, FieldCatalogue, FieldName, Metric } from '../../../../shared/web/client/client.ts';

type FieldDescription = FieldCatalogue['data']['metrics' | 'dimensions'][number];
type Names = readonly { readonly name: string }[];

/** Checks names of fields, given by a person or an agent, against the service's catalogue. */
export class FieldNames {
  readonly #metrics: ReadonlySet<string>;
  readonly #dimensions: ReadonlySet<string>;

  constructor({ metrics, dimensions }: { readonly metrics: Names; readonly dimensions: Names }) {
    this.#metrics = new Set(metrics.map(({ name }) => name));
    this.#dimensions = new Set(dimensions.map(({ name }) => name));
  }

  /** @returns the names. @throws Error about each that is not a metric, with suggestions */
  metrics(names: readonly string[]): Metric[] {
    return collect(names, (name) => {
      if (this.isMetric(name)) return name;
      if (this.#isDimension(name)) throw new Error(`${name} is a dimension, not a metric: group by it`);
      throw new Error(unknown(name, 'metric', this.#metrics));
    });
  }

  /** @returns the names. @throws Error about each that is not a dimension, with suggestions */
  dimensions(names: readonly string[]): Dimension[] {
    return collect(names, (name) => this.dimension(name));
  }

  /** @returns the name. @throws Error with suggestions if it is not a dimension */
  dimension(name: string): Dimension {
    if (this.#isDimension(name)) return name;
    if (this.isMetric(name)) throw new Error(`${name} is a metric, not a dimension: request it among the metrics`);
    throw new Error(unknown(name, 'dimension', this.#dimensions));
  }

  /** @returns the names. @throws Error about each that is neither a metric nor a dimension, with suggestions */
  fields(names: readonly string[]): FieldName[] {
    return collect(names, (name) => this.field(name));
  }

  /** @returns the name. @throws Error with suggestions if it is neither a metric nor a dimension */
  field(name: string): FieldName {
    if (this.isMetric(name) || this.#isDimension(name)) return name;
    throw new Error(unknown(name, 'field', this.#metrics.union(this.#dimensions)));
  }

  /** @returns the item, whose field exists. @throws Error with suggestions if it does not */
  withField<Item extends { readonly field: string }>(item: Item): Item & { readonly field: FieldName } {
    return { ...item, field: this.field(item.field) };
  }

  isMetric(name: string): name is Metric {
    return this.#metrics.has(name);
  }

  #isDimension(name: string): name is Dimension {
    return this.#dimensions.has(name);
  }
}

/** @returns the results of all functions. @throws an error with the messages of all that throw, so that everything can be corrected at once */
export function requireAll<Results extends readonly unknown[]>(
  functions: readonly [...{ [Index in keyof Results]: () => Results[Index] }],
): Results {
  const results: readonly unknown[] = collect(functions, (run) => run());
  return results as Results; // one result of each function, in their order
}

/** @returns the results, in the order of the items. @throws an error with the messages of all items for which `convert` throws */
export function collect<Item, Result>(items: readonly Item[], convert: (item: Item) => Result): Result[] {
  const messages = new Set<string>();
  const results = items.flatMap((item) => {
    try {
      return [convert(item)];
    } catch (error) {
      messages.add(error instanceof Error ? error.message : String(error));
      return [];
    }
  });
  if (messages.size > 0) throw new Error([...messages].join('\n'));
  return results;
}

/** @returns whether the text is in the field's name, title, group, description or another word for it, ignoring case */
export function mentions(field: FieldDescription, text: string): boolean {
  const { name, title, group, description, aliases } = field;
  return [name, title, group, description, ...aliases].some((part) => part.toLowerCase().includes(text.toLowerCase()));
}

/** @returns that there is no such field, and which ones may be meant */
function unknown(name: string, kind: string, allowed: ReadonlySet<string>): string {
  return `there is no ${kind} ${name}${didYouMean(name, [...allowed])}`;
}
