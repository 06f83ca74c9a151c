import { type ApiRequest, headerValues } from '../api-request.ts';
import { acceptsBinary } from './content-coding.ts';
import { type Format, negotiate } from './negotiate.ts';

/** Chooses the format of the response by Accept, and stores it in the request's state. Errors are problem+json whatever Accept says. */
export const acceptedFormat = (formats: readonly Format[]) => ({
  before: ({ event }: ApiRequest): void => {
    const accept = headerValues(event, 'accept');
    const binary = acceptsBinary(accept);
    event.state.representation = negotiate(
      accept,
      formats.filter((format) => format !== 'arrow' || binary),
    );
  },
});
