import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { vi } from 'vitest';

/** The calls to the table, by round trip. Each round holds the calls that were in flight together. A call that waits for a response is in a later round. */
export interface RoundTrips extends Disposable {
  /** By round, the names of the operations, sorted. */
  readonly rounds: readonly (readonly string[])[];
}

type Handler = DynamoDBClient['config']['requestHandler'];

interface HeldCall {
  readonly name: string;
  /** Makes the call. @returns a function that passes its result on */
  readonly make: () => Promise<() => void>;
}

/** If no call is added for this many turns of the event loop, the round is complete. */
const QUIET_TURNS = 5;

/**
 * Holds all calls to DynamoDB until no more of them are made, then makes them together and returns their responses at the same time. So the number of
 * rounds is the length of the longest chain of dependent calls, however long a call takes.
 */
export function countRoundTrips(): RoundTrips {
  // patched on the prototype, because each client has its own handler
  const handlerPrototype: Handler = Object.getPrototypeOf(
    new DynamoDBClient({ region: 'us-east-1' }).config.requestHandler,
  );
  const original = handlerPrototype.handle;
  const rounds: string[][] = [];
  let held: HeldCall[] = [];
  let isRunning = false;

  const waitUntilQuiet = async () => {
    let quietTurns = 0;
    while (quietTurns < QUIET_TURNS) {
      const before = held.length;
      await nextTurn();
      quietTurns = held.length === before ? quietTurns + 1 : 0;
    }
  };
  const run = async () => {
    isRunning = true;
    while (held.length > 0) {
      await waitUntilQuiet();
      const round = held;
      held = [];
      rounds.push(round.map(({ name }) => name).sort());
      for (const passOn of await Promise.all(round.map(({ make }) => make()))) passOn();
      await waitUntilQuiet();
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
  const spy = vi.spyOn(handlerPrototype, 'handle').mockImplementation(handle);
  return { rounds, [Symbol.dispose]: () => spy.mockRestore() };
}
