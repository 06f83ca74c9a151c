import { ApiError } from '../../lib/errors.ts';
import { type ApiMiddleware, headerValues, queryValues } from '../message/api-request.ts';
import { MEDIA_TYPES, negotiate, type Representation, type ResponseFormat } from '../message/negotiate.ts';
import { acceptsBinary } from './content-coding.ts';

/** `format=spreadsheet`. */
const SPREADSHEET: Representation = { format: 'csv', bom: true, formulas: 'escaped', isDownload: true };

/**
 * Chooses the format of the response by Accept, or by the query of a GET, for programs that cannot set headers, and stores it in the request's state. Errors are
 * problem+json whatever the format.
 * @param hasComments whether the query may add comments
 */
export const acceptedFormat = (formats: readonly ResponseFormat[], hasComments: boolean): ApiMiddleware => ({
  before: ({ event, context }) => {
    const accept = headerValues(event, 'accept');
    const offered = formats.filter((format) => format !== 'arrow' || acceptsBinary(accept));
    const isUrl = event.httpMethod === 'GET';
    const name = isUrl ? queryValues(event, 'format').at(-1) : undefined;
    const comments = isUrl && hasComments ? queryValues(event, 'comments').at(-1) : undefined;
    const chosen = name === undefined ? negotiate(accept, offered) : readNamed(name, accept, formats, offered);
    context.state.representation = comments === undefined ? chosen : addComments(chosen, comments);
  },
});

/** @returns the named format, with the parameters that Accept has for it */
function readNamed(
  name: string,
  accept: readonly string[],
  formats: readonly ResponseFormat[],
  offered: readonly ResponseFormat[],
): Representation {
  if (name === 'spreadsheet') return SPREADSHEET;
  const format = formats.find((other) => other === name);
  if (format === undefined) throw wrongParameter('format', `Must be one of ${formats.join(', ')}, spreadsheet.`);
  if (!offered.includes(format)) return negotiate([MEDIA_TYPES[format]], offered);
  return negotiate([...accept, `${MEDIA_TYPES[format]};q=0.001`], [format]);
}

function addComments(representation: Representation, value: string): Representation {
  if (value === 'on' && representation.format === 'csv') return { ...representation, comments: true };
  throw wrongParameter('comments', 'Must be on, with format=csv or format=spreadsheet.');
}

function wrongParameter(pointer: string, detail: string): ApiError {
  const fields = [{ in: 'query', pointer, code: 'NOT_ALLOWED', detail } as const];
  return new ApiError('INVALID_REQUEST', 'One field is invalid; see errors.', { fields });
}
