import { todayIn } from '../../../lib/calendar.ts';
import type { Calendar } from '../../../lib/relative-date.ts';
import type { FieldCatalogue } from '../../client/client.ts';

type Described = FieldCatalogue['data'];

/** A field as `GET /metadata/fields` describes it, with the code of the currency as unit. */
export type Field = Omit<Described['dimensions'][number], 'unit'> & {
  readonly unit: string | null;
  readonly kind?: Described['metrics'][number]['kind'];
};

/** The part of a question on which the meaning of fields depends. */
interface FieldContext {
  readonly experience: string;
  readonly metrics: readonly string[];
  readonly dimensions: readonly string[];
  readonly filters: readonly { readonly field: string }[];
}

/** Why a field would have no values, and what to remove from the question so that it has. */
interface Conflict {
  readonly reason: string;
  /** Names of requested fields; empty if only another experience or another filter helps. */
  readonly remove: readonly string[];
}

/** In place of an experience: a report over all of them. */
const ALL = 'all';

export class Catalogue {
  readonly metrics: readonly Field[];
  readonly dimensions: readonly Field[];
  readonly operators: Described['operators'];
  /** Every experience in which some metric has a meaning. */
  readonly experiences: readonly string[];
  /** What a report can cover: an experience, or all. */
  readonly choices: readonly string[];
  readonly #settings: FieldCatalogue['meta'];
  readonly #rules: Described['rules'];
  readonly #metrics: ReadonlyMap<string, Field>;
  readonly #dimensions: ReadonlyMap<string, Field>;

  constructor({ data: { metrics, dimensions, operators, rules }, meta: settings }: FieldCatalogue) {
    const inCurrency = (field: Field): Field =>
      field.unit === 'currency' ? { ...field, unit: settings.currency } : field;
    this.metrics = metrics.map(inCurrency);
    this.dimensions = dimensions.map(inCurrency);
    this.operators = operators;
    this.experiences = [...new Set(metrics.flatMap(({ experiences }) => experiences))];
    this.choices = [...this.experiences, ALL];
    this.#settings = settings;
    this.#rules = rules;
    this.#metrics = new Map(this.metrics.map((field) => [field.name, field]));
    this.#dimensions = new Map(this.dimensions.map((field) => [field.name, field]));
  }

  get calendar(): Calendar {
    const { timezone, weekStartsOn } = this.#settings;
    return { today: todayIn(timezone), weekStartsOn };
  }

  metric(name: string): Field | undefined {
    return this.#metrics.get(name);
  }

  dimension(name: string): Field | undefined {
    return this.#dimensions.get(name);
  }

  field(name: string): Field | undefined {
    return this.metric(name) ?? this.dimension(name);
  }

  /** @returns the field's title, or its name if the catalogue does not have it */
  titleOf(name: string): string {
    return this.field(name)?.title ?? name;
  }

  operator(name: string): Catalogue['operators'][number] | undefined {
    return this.operators.find((operator) => operator.name === name);
  }

  /** @returns whether the field has a meaning in a report over the experience, or in a part of one over all */
  hasMeaning({ experiences }: Field, experience: string): boolean {
    return experience === ALL ? experiences.length > 0 : experiences.some((name) => name === experience);
  }

  /** @returns whether an advertiser of the caller ever had data in the experience; of the field, if one is given. All may have where none had any. */
  hasData(experience: string, field?: Field): boolean {
    const lists = Object.entries(this.#settings.fieldsWithoutData);
    const has = ([name, without]: (typeof lists)[number]) =>
      (experience === ALL || experience === name) &&
      (field === undefined || (field.experiences.some((own) => own === name) && !without.includes(field.name)));
    return lists.length === 0 || lists.some(has);
  }

  /** @returns the operators that are useful for a field */
  operatorsFor({ type }: Field): Catalogue['operators'] {
    return this.operators.filter(({ types }) => types.includes(type));
  }

  /** @returns why the values of a requested field are null in every row; undefined if they are not */
  nullReason(name: string, context: FieldContext): string | undefined {
    const conflict = this.conflictOf(name, context);
    const isOwn = this.metric(name) !== undefined || conflict?.remove.length === 0;
    return isOwn ? conflict?.reason : undefined;
  }

  /** @returns why the field, or because of it a requested metric, would be null in every row */
  conflictOf(name: string, context: FieldContext): Conflict | undefined {
    const rules = this.#rules.filter(
      ({ effect, experiences }) =>
        effect === 'null' &&
        (context.experience === ALL ? this.experiences : [context.experience]).every((name) =>
          experiences.some((other) => other === name),
        ),
    );
    const own = rules.filter(({ fields }) => fields.includes(name));
    const never = own.find(({ dimensions }) => dimensions.length === 0);
    if (never !== undefined) return { reason: withTitle(never.reason, context.experience), remove: [] };
    const filtered = context.filters.map(({ field }) => field);
    const present = [...context.dimensions, ...filtered].filter((field) => field !== name);
    const byDimension = own.find(({ dimensions }) => dimensions.some((dimension) => present.includes(dimension)));
    if (byDimension !== undefined) {
      const remove = context.dimensions.filter((dimension) => byDimension.dimensions.includes(dimension));
      return { reason: byDimension.reason, remove };
    }
    if (this.metric(name) !== undefined) return undefined;
    const broken = rules.filter(
      ({ dimensions, fields }) => dimensions.includes(name) && fields.some((field) => context.metrics.includes(field)),
    );
    const [first] = broken;
    if (first === undefined) return undefined;
    const fields = new Set(broken.flatMap((rule) => rule.fields));
    return { reason: first.reason, remove: context.metrics.filter((metric) => fields.has(metric)) };
  }
}

/** @returns whether the values are a closed sequence of numbers, such as hours: each has its place without a row */
export function isSequence({ type, values }: Field): boolean {
  return type === 'integer' && values !== undefined;
}

/** @returns whether a column of a report is a metric with numbers, which can be drawn and compared */
export function isNumericMetric({ role, type }: { readonly role: string; readonly type: string }): boolean {
  return role === 'metric' && (type === 'integer' || type === 'decimal');
}

/** @returns whether the metric is 0 where there are no facts: sums and distinct counts are, and others have no value */
export function isZeroWithoutFacts(metric: Field | undefined): boolean {
  return metric?.kind === 'sum' || metric?.kind === 'distinct';
}

/** @returns the fields by group, in the catalogue's order */
export function byGroup(fields: readonly Field[]): ReadonlyMap<string, readonly Field[]> {
  return Map.groupBy(fields, ({ group }) => group);
}

/** Names of at most three letters are abbreviations, which are written in capitals. */
export function experienceTitle(experience: string): string {
  return experience.length <= 3 && experience !== ALL
    ? experience.toUpperCase()
    : experience.charAt(0).toUpperCase() + experience.slice(1);
}

/** @returns a sentence of the API with the title of the experience, as the page writes it, instead of its name */
function withTitle(sentence: string, experience: string): string {
  return sentence.replace(new RegExp(`\\b${experience}\\b`), experienceTitle(experience));
}

/** @returns whether every word of the text occurs in the field's title, name, group, meaning or other words */
export function matches({ title, name, group, description, aliases }: Field, text: string): boolean {
  const searched = `${title} ${name} ${group} ${description} ${aliases.join(' ')}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word));
}
