import { NodeHttpHandler, type NodeHttpHandlerOptions } from '@smithy/node-http-handler';
import { type Clock, elapsedClock } from '../clock.ts';

/** A connection that has been idle for longer is closed instead of used: long enough for a busy instance, and shorter than AWS keeps connections of a frozen one. */
const MAX_IDLE_MS = 10_000;

/**
 * The SDK's request handler, without connections that may be dead. Lambda freezes an instance between two requests, and its idle connections may be dropped
 * meanwhile without a sign. No timer runs then, so their age is checked at the next request.
 */
export class RequestHandler extends NodeHttpHandler {
  /** By connection, the time of its latest response. */
  readonly #usedAt = new WeakMap<object, number>();
  readonly #clock: Clock;

  constructor(options: NodeHttpHandlerOptions, clock: Clock = elapsedClock) {
    super(options);
    this.#clock = clock;
  }

  override async handle(...args: Parameters<NodeHttpHandler['handle']>): ReturnType<NodeHttpHandler['handle']> {
    this.#closeIdle(this.#clock() - MAX_IDLE_MS);
    try {
      const result = await super.handle(...args);
      const socket: unknown = result.response.body.socket;
      if (typeof socket === 'object' && socket !== null) this.#usedAt.set(socket, this.#clock());
      return result;
    } catch (error) {
      this.#closeIdle(Number.POSITIVE_INFINITY); // so that the next attempt uses a connection that is new or has just worked
      throw error;
    }
  }

  /** Closes the idle connections that were used before the time. The agent uses the one that became idle last, and skips closed ones only before it. */
  #closeIdle(usedBefore: number): void {
    const { httpAgent, httpsAgent } = this.httpHandlerConfigs();
    for (const agent of [httpAgent, httpsAgent]) {
      if (agent === undefined || !('freeSockets' in agent)) continue;
      for (const sockets of Object.values(agent.freeSockets)) {
        for (const socket of sockets ?? []) {
          if ((this.#usedAt.get(socket) ?? Number.NEGATIVE_INFINITY) >= usedBefore) break;
          socket.destroy();
        }
      }
    }
  }
}
