import { type ApiMiddleware, headerValues } from '../message/api-request.ts';
import { type Format, negotiate } from '../message/negotiate.ts';
import { acceptsBinary } from './content-coding.ts';

/** Chooses the format of the response by Accept, and stores it in the request's state. Errors are problem+json whatever Accept says. */
export const acceptedFormat = (formats: readonly Format[]): ApiMiddleware => ({
  before: ({ event, context }) => {
    const accept = headerValues(event, 'accept');
    const binary = acceptsBinary(accept);
    context.state.representation = negotiate(
      accept,
      formats.filter((format) => format !== 'arrow' || binary),
    );
  },
});
