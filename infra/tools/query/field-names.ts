import type { Dimension, FieldCatalogue, FieldName, Metric } from '../../../shared/client/client.ts';
import { suggestName } from '../../../shared/contract/suggest.ts';

type Catalogue = FieldCatalogue['data'];

/** The names that a person or an agent has given, checked against the service's catalogue. */
export class FieldNames {
  readonly #metrics: ReadonlySet<string>;
  readonly #dimensions: ReadonlySet<string>;

  constructor({ metrics, dimensions }: Catalogue) {
    this.#metrics = new Set(metrics.map(({ name }) => name));
    this.#dimensions = new Set(dimensions.map(({ name }) => name));
  }

  /** @throws an error that names the metrics meant, if a name is none */
  metrics(names: readonly string[]): Metric[] {
    return names.map((name) => {
      if (this.isMetric(name)) return name;
      if (this.#isDimension(name)) throw new Error(`${name} is a dimension, not a metric: group by it`);
      throw new Error(unknown(name, 'metric', this.#metrics));
    });
  }

  /** @throws an error that names the dimensions meant, if a name is none */
  dimensions(names: readonly string[]): Dimension[] {
    return names.map((name) => {
      if (this.#isDimension(name)) return name;
      if (this.isMetric(name)) throw new Error(`${name} is a metric, not a dimension: request it among the metrics`);
      throw new Error(unknown(name, 'dimension', this.#dimensions));
    });
  }

  /** @throws an error that names the fields meant, if the name is neither a metric nor a dimension */
  field(name: string): FieldName {
    if (this.isMetric(name) || this.#isDimension(name)) return name;
    throw new Error(unknown(name, 'field', this.#metrics.union(this.#dimensions)));
  }

  isMetric(name: string): name is Metric {
    return this.#metrics.has(name);
  }

  #isDimension(name: string): name is Dimension {
    return this.#dimensions.has(name);
  }
}

const MAX_SUGGESTIONS = 3;

/** @returns that there is no such field, and those that have the same words in their names, or the one with the closest name */
function unknown(name: string, kind: string, allowed: ReadonlySet<string>): string {
  const words = (text: string) =>
    text
      .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
      .toLowerCase()
      .split(/[_\s-]+/);
  const wanted = words(name);
  const alike = [...allowed].filter((candidate) => wanted.every((word) => words(candidate).includes(word)));
  const closest = suggestName(name, [...allowed]);
  const found = alike.length > 0 ? alike.slice(0, MAX_SUGGESTIONS) : closest === undefined ? [] : [closest];
  return `there is no ${kind} ${name}${found.length === 0 ? '' : `; did you mean ${found.join(' or ')}?`}`;
}
