import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { vi } from 'vitest';

/** The calls to the table in rounds: a call is in the round after the last one whose responses it may depend on. */
export interface Rounds extends Disposable {
  /** By round, the names of the operations, sorted. */
  readonly rounds: readonly (readonly string[])[];
  /** Starts to count again. */
  reset(): void;
}

type Handler = DynamoDBClient['config']['requestHandler'];

interface HeldCall {
  readonly name: string;
  /** Makes the call. @returns a function that passes its result on */
  readonly make: () => Promise<() => void>;
}

/** Turns of the event loop without another call after which all calls that need no further response have been made. */
const QUIET_TURNS = 5;

/**
 * Holds all calls to DynamoDB until no more of them are made, then makes them together and returns their responses at the same time. So the number of
 * rounds is the length of the longest chain of dependent calls, however long a call takes.
 */
export function countRounds(): Rounds {
  const handler: Handler = Object.getPrototypeOf(new DynamoDBClient({ region: 'us-east-1' }).config.requestHandler);
  const original = handler.handle;
  const rounds: string[][] = [];
  let held: HeldCall[] = [];
  let isRunning = false;

  const run = async () => {
    isRunning = true;
    while (held.length > 0) {
      for (let quiet = 0, seen = held.length; quiet < QUIET_TURNS; quiet = held.length === seen ? quiet + 1 : 0) {
        seen = held.length;
        await nextTurn();
      }
      const round = held;
      held = [];
      rounds.push(round.map(({ name }) => name).sort());
      for (const passOn of await Promise.all(round.map(({ make }) => make()))) passOn();
      for (let turn = 0; turn < QUIET_TURNS; turn++) await nextTurn();
    }
    isRunning = false;
  };
  const handle = function (this: Handler, ...args: Parameters<typeof original>) {
    const [, operation] = args[0].headers['x-amz-target']?.split('DynamoDB_20120810.') ?? [];
    if (operation === undefined) return original.apply(this, args);
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof original>>>();
    const make = () =>
      original
        .apply(this, args)
        .then(async ({ response }) => {
          const body = Readable.from([await buffer(response.body)]);
          return () => resolve({ response: Object.assign(response, { body }) });
        })
        .catch((error) => () => reject(error));
    held.push({ name: operation, make });
    if (!isRunning) void run();
    return promise;
  };
  const spy = vi.spyOn(handler, 'handle').mockImplementation(handle);
  return {
    rounds,
    reset: () => {
      rounds.length = 0;
    },
    [Symbol.dispose]: () => spy.mockRestore(),
  };
}
