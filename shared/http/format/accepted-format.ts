import { ApiError } from '../../lib/errors.ts';
import { type ApiMiddleware, headerValues, queryValues } from '../message/api-request.ts';
import { MEDIA_TYPES, negotiate, type ResponseFormat } from '../message/negotiate.ts';
import { acceptsBinary } from './content-coding.ts';

/**
 * Chooses the format of the response by Accept, and stores it in the request's state. Errors are problem+json whatever Accept says.
 * @param inUrl whether the query of a GET may name the format, for programs that cannot set headers
 */
export const acceptedFormat = (formats: readonly ResponseFormat[], inUrl: boolean): ApiMiddleware => ({
  before: ({ event, context }) => {
    const accept = headerValues(event, 'accept');
    const binary = acceptsBinary(accept);
    const named = inUrl && event.httpMethod === 'GET' ? queryValues(event, 'format').at(-1) : undefined;
    context.state.representation = negotiate(
      named === undefined ? accept : [mediaTypeOf(named, formats)],
      formats.filter((format) => format !== 'arrow' || binary),
    );
  },
});

function mediaTypeOf(name: string, formats: readonly ResponseFormat[]): string {
  const format = formats.find((other) => other === name);
  if (format !== undefined) return MEDIA_TYPES[format];
  const detail = `Must be one of ${formats.join(', ')}.`;
  throw new ApiError('INVALID_REQUEST', 'One field is invalid; see errors.', {
    fields: [{ in: 'query', pointer: 'format', code: 'NOT_ALLOWED', detail }],
  });
}
