import { type ApiMiddleware, headerValues } from '../message/api-request.ts';
import { negotiate, type ResponseFormat } from '../message/negotiate.ts';
import { acceptsBinary } from './content-coding.ts';

/** Chooses the format of the response by Accept, and stores it in the request's state. Errors are problem+json whatever Accept says. */
export const acceptedFormat = (formats: readonly ResponseFormat[]): ApiMiddleware => ({
  before: ({ event, context }) => {
    const accept = headerValues(event, 'accept');
    const binary = acceptsBinary(accept);
    context.state.representation = negotiate(
      accept,
      formats.filter((format) => format !== 'arrow' || binary),
    );
  },
});
