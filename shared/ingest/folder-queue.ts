import { ChangeMessageVisibilityCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { RequestHandler } from '../lib/sdk/request-handler.ts';
import { ATTEMPT_MS, requestLimits } from '../lib/sdk/request-limits.ts';

/**
 * Seconds before the second and each further attempt to load a folder. After the last attempt, SQS moves the message to the dead-letter queue. AWS advises
 * five attempts or more, because an invocation that Lambda throttles counts as one.
 *
 * The folder keeps its place at the head of the queue meanwhile. If it were moved to the end, folders behind it would be loaded first, and a retry would
 * replace their listings and days with older ones. So a folder that fails delays those behind it, but only by its attempts and these pauses: the
 * function sets the time until the next attempt itself, because AWS recommends a visibility timeout of six times the function's time limit.
 */
const RETRY_DELAYS_S = [60, 120, 240, 240] as const;
export const MAX_ATTEMPTS = RETRY_DELAYS_S.length + 1;

/**
 * Seconds after the last renewal until a message becomes visible: the delay after a function that crashed. One renewal may fail; after two in a row the message
 * may be delivered again.
 */
const HOLD_S = 180;
const RENEW_MS = 60_000;

/** The members used of an event with one message, which is the batch size of the event source mapping. */
const QueueEvent = z.object({
  Records: z.tuple([
    z.object({
      messageId: z.string(),
      receiptHandle: z.string(),
      body: z.string(),
      attributes: z.object({ ApproximateReceiveCount: z.string().check(z.regex(/^[1-9]\d*$/)) }),
    }),
  ]),
});

/** A message that the queue has delivered. */
export interface FolderMessage {
  readonly id: string;
  readonly receiptHandle: string;
  readonly body: string;
  /** Seconds until the next attempt if this one fails; undefined if this is the last one. */
  readonly retryInSeconds: number | undefined;
}

/** @throws Error unless the event has the form of one message of a queue */
export function parseQueueEvent(event: unknown): FolderMessage {
  const [{ messageId: id, receiptHandle, body, attributes }] = QueueEvent.parse(event).Records;
  return { id, receiptHandle, body, retryInSeconds: RETRY_DELAYS_S[Number(attributes.ApproximateReceiveCount) - 1] };
}

/** The queue, for the one operation of SQS that the function calls; Lambda receives and deletes the messages. */
export class FolderQueue {
  readonly #url: string;
  readonly #client: SQSClient;

  /** Creates an SDK client: construct one queue per instance. */
  constructor({ url, region }: { readonly url: string; readonly region: string }) {
    this.#url = url;
    this.#client = new SQSClient({ region, requestHandler: new RequestHandler(requestLimits(ATTEMPT_MS)) });
  }

  /**
   * Keeps a message from being delivered again while it is processed.
   * @param onError called when a request to SQS fails; the message then becomes visible at the time that was set last
   * @returns a function that ends this. Its argument is the number of seconds until the message is delivered again or moved to the dead-letter queue;
   * absent if the message was processed, so that Lambda deletes it.
   */
  async hold(
    { receiptHandle }: FolderMessage,
    onError: (error: unknown) => void,
  ): Promise<(visibleInSeconds?: number) => Promise<void>> {
    const set = (seconds: number) => this.#setVisibility(receiptHandle, seconds).catch(onError);
    let renewal = Promise.resolve();
    await set(HOLD_S);
    const timer = setInterval(() => {
      renewal = renewal.then(() => set(HOLD_S));
    }, RENEW_MS);
    return async (visibleInSeconds) => {
      clearInterval(timer);
      await renewal;
      if (visibleInSeconds !== undefined) await set(visibleInSeconds);
    };
  }

  async #setVisibility(receiptHandle: string, seconds: number): Promise<void> {
    const input = { QueueUrl: this.#url, ReceiptHandle: receiptHandle, VisibilityTimeout: seconds };
    await this.#client.send(new ChangeMessageVisibilityCommand(input));
  }
}
