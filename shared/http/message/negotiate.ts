import { ApiError } from '../../lib/errors.ts';

export type Format = 'json' | 'csv' | 'arrow';

/** How a successful response is written. */
export type Representation =
  | { readonly format: 'json' | 'arrow' }
  | { readonly format: 'csv'; readonly bom: boolean; readonly formulas: 'unchanged' | 'escaped' };

export const MEDIA_TYPES: Readonly<Record<Format, string>> = {
  json: 'application/json',
  csv: 'text/csv',
  arrow: 'application/vnd.apache.arrow.stream',
};

/** @returns the value of Content-Type */
export function contentTypeOf({ format }: Representation): string {
  return format === 'csv' ? `${MEDIA_TYPES.csv}; charset=utf-8; header=present` : MEDIA_TYPES[format];
}

/** The representation of a response to a request without Accept. */
export const JSON_REPRESENTATION: Representation = { format: 'json' };

/** What the service can send, and the parameters by which a media range may ask for it. */
interface Offer {
  readonly representation: Representation;
  /** Undefined: parameters are ignored. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** In the order of preference. */
const OFFERS: readonly Offer[] = [
  { representation: JSON_REPRESENTATION },
  ...(['present', 'bom'] as const).flatMap((header) =>
    (['unchanged', 'escaped'] as const).map((formulas) => ({
      representation: { format: 'csv', bom: header === 'bom', formulas } as const,
      parameters: { header, formulas, charset: 'utf-8' },
    })),
  ),
  { representation: { format: 'arrow' } },
];

/** One element of Accept (RFC 9110, section 12.5.1). Type and subtype may be `*`. */
interface MediaRange {
  readonly type: string;
  readonly subtype: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly weight: number;
  readonly position: number;
}

/**
 * Chooses by weight. Of equal weights the more specific media range decides, then the order in Accept, then the order of OFFERS.
 * @param accept all values of the header; malformed elements are ignored
 * @throws ApiError NOT_ACCEPTABLE, which names the formats
 */
export function negotiate(accept: readonly string[], formats: readonly Format[]): Representation {
  const ranges = splitOutsideQuotes(accept.join(','), ',').flatMap(readMediaRange);
  if (ranges.length === 0) return JSON_REPRESENTATION;
  const offered = OFFERS.filter(({ representation }) => formats.includes(representation.format));
  const acceptable = offered.flatMap((offer) => {
    const [range] = ranges.filter((candidate) => matches(candidate, offer)).sort(compareSpecificity);
    return range === undefined || range.weight === 0 ? [] : [{ offer, range }];
  });
  const [best] = acceptable.sort(
    (a, b) => b.range.weight - a.range.weight || compareSpecificity(a.range, b.range), // stable, so OFFERS decides in the end
  );
  if (best === undefined) throw notAcceptable(formats);
  return best.offer.representation;
}

function matches({ type, subtype, parameters }: MediaRange, offer: Offer): boolean {
  const [offeredType, offeredSubtype] = MEDIA_TYPES[offer.representation.format].split('/');
  if (type !== '*' && type !== offeredType) return false;
  if (subtype !== '*' && subtype !== offeredSubtype) return false;
  return [...parameters].every(([name, value]) => offer.parameters === undefined || offer.parameters[name] === value);
}

/** @returns below 0 if `a` is more specific, or as specific and earlier */
function compareSpecificity(a: MediaRange, b: MediaRange): number {
  return specificity(b) - specificity(a) || a.position - b.position;
}

function specificity({ type, subtype, parameters }: MediaRange): number {
  if (subtype === '*') return type === '*' ? 0 : 1;
  return 2 + parameters.size;
}

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const WEIGHT = /^(?:0?(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** @returns one range, or none if the text is not one. `*` alone and weights such as `.2`, which old clients send, are accepted. */
function readMediaRange(text: string, position: number): MediaRange[] {
  const [range = '', ...rest] = splitOutsideQuotes(text, ';').map((part) => part.trim());
  const [type = '', subtype = '', ...more] = (range === '*' ? '*/*' : range).toLowerCase().split('/');
  if (more.length > 0 || !TOKEN.test(type) || !TOKEN.test(subtype) || (type === '*' && subtype !== '*')) return [];
  const parameters = new Map<string, string>();
  let weight = 1;
  for (const part of rest) {
    if (part === '') continue;
    const [, name = '', value = ''] = /^([^=\s]+)\s*=\s*(.*)$/.exec(part) ?? [];
    if (name.toLowerCase() !== 'q') parameters.set(name.toLowerCase(), unquote(value).toLowerCase());
    else if (value !== '' && value !== '.' && WEIGHT.test(value)) weight = Number(value);
    else return [];
  }
  return [{ type, subtype, parameters, weight, position }];
}

function unquote(value: string): string {
  return /^".*"$/.test(value) ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value;
}

/** A quoted text may contain the separator, and quotation marks after a backslash. */
function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === '\\' && isQuoted) at++;
    else if (text[at] === separator && !isQuoted) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)];
}

function notAcceptable(formats: readonly Format[]): ApiError {
  const types = formats.map((format) =>
    format === 'csv' ? `${MEDIA_TYPES.csv} (with ;header=bom and ;formulas=escaped if wanted)` : MEDIA_TYPES[format],
  );
  const detail = `Accept must allow ${types.slice(0, -1).join(', ')} or ${types.at(-1)}.`;
  return new ApiError('NOT_ACCEPTABLE', detail, {
    fields: [{ in: 'header', pointer: 'Accept', code: 'NOT_ALLOWED', detail }],
  });
}
