import { Negotiator } from 'negotiator';
import { ApiError } from '../../lib/errors.ts';

export type ResponseFormat = 'json' | 'csv' | 'arrow';

/** How a successful response is written. */
export type Representation =
  | { readonly format: 'json' | 'arrow' }
  | {
      readonly format: 'csv';
      readonly bom: boolean;
      readonly formulas: 'unchanged' | 'escaped';
      /** Whether lines before the header have what JSON has in `meta`. */
      readonly comments?: boolean;
      /** Whether a browser saves the response as a file. */
      readonly isDownload?: boolean;
    };

export const MEDIA_TYPES: Readonly<Record<ResponseFormat, string>> = {
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

/** What the service can send, in the order of preference, with the parameters by which a media range may ask for it. */
const OFFERS: readonly { readonly type: string; readonly representation: Representation }[] = [
  { type: `${MEDIA_TYPES.json};charset=utf-8`, representation: JSON_REPRESENTATION },
  ...(['present', 'bom'] as const).flatMap((header) =>
    (['unchanged', 'escaped'] as const).map((formulas) => ({
      type: `${MEDIA_TYPES.csv};charset=utf-8;header=${header};formulas=${formulas}`,
      representation: { format: 'csv', bom: header === 'bom', formulas } as const,
    })),
  ),
  { type: MEDIA_TYPES.arrow, representation: { format: 'arrow' } },
];

/**
 * Chooses by weight. Of equal weights the more specific media range decides, then the order in Accept, then the order of OFFERS.
 * @param accept all values of the header
 * @throws ApiError NOT_ACCEPTABLE, which names the formats
 */
export function negotiate(accept: readonly string[], formats: readonly ResponseFormat[]): Representation {
  const offers = OFFERS.filter(({ representation }) => formats.includes(representation.format));
  const negotiator = new Negotiator({ headers: { accept: accept.join(',') || '*/*' } });
  const accepted = negotiator.mediaType(offers.map(({ type }) => type));
  const best = offers.find(({ type }) => type === accepted);
  if (best === undefined) throw notAcceptable(formats);
  return best.representation;
}

function notAcceptable(formats: readonly ResponseFormat[]): ApiError {
  const types = formats.map((format) =>
    format === 'csv' ? `${MEDIA_TYPES.csv} (with ;header=bom and ;formulas=escaped if wanted)` : MEDIA_TYPES[format],
  );
  const detail = `Accept must allow ${types.slice(0, -1).join(', ')} or ${types.at(-1)}.`;
  return new ApiError('NOT_ACCEPTABLE', detail, {
    fields: [{ in: 'header', pointer: 'Accept', code: 'NOT_ALLOWED', detail }],
  });
}
