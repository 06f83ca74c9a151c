/**
 * Replaces the SDK's module `@smithy/core/event-streams` in the bundles: no command that the functions send has a stream of events in its request or
 * its response.
 */
export class EventStreamSerde {
  constructor() {
    throw new Error('the bundles have no event streams: remove the alias of @smithy/core/event-streams');
  }
}

/** @returns nothing, for S3's client, which creates its marshaller in advance. */
export function eventStreamSerdeProvider(): undefined {
  return undefined;
}

/** @returns the configuration as it is */
export function resolveEventStreamSerdeConfig<Config>(config: Config): Config {
  return config;
}
