import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

export interface QueueAttributes {
  /** In seconds. */
  readonly visibilityTimeout: number;
  /** After this number of deliveries, a message is moved to the dead-letter queue. */
  readonly maxReceiveCount: number;
}

interface Message {
  readonly id: string;
  readonly group: string;
  readonly body: string;
  receiveCount: number;
  /** Of the last delivery; earlier ones are not valid any more. */
  receiptHandle: string;
  /** In the time of `now`. */
  visibleAt: number;
}

/** A message as SQS delivers it. */
export type Delivery = Readonly<Message>;

/** The time within which SQS ignores a message with the content of an earlier one. */
const DEDUPLICATION_S = 300;

/**
 * A FIFO queue with content-based deduplication, as SQS documents it: messages of a group are delivered in order, none of them while one of the group is
 * in progress. Its time stands still until `advance` is called, so that tests do not wait.
 */
export class FifoQueue {
  readonly #attributes: QueueAttributes;
  readonly #sentAt = new Map<string, number>();
  #messages: Message[] = [];
  /** The messages that were delivered `maxReceiveCount` times. */
  readonly deadLetters: Delivery[] = [];
  /** Seconds since the queue was created. */
  now = 0;

  constructor(attributes: QueueAttributes) {
    this.#attributes = attributes;
  }

  get isEmpty(): boolean {
    return this.#messages.length === 0;
  }

  send(body: string, group: string): void {
    const content = createHash('sha256').update(body).digest('hex');
    if (this.now - (this.#sentAt.get(content) ?? Number.NEGATIVE_INFINITY) < DEDUPLICATION_S) return;
    this.#sentAt.set(content, this.now);
    this.#messages.push({ id: randomUUID(), group, body, receiveCount: 0, receiptHandle: '', visibleAt: this.now });
  }

  receive(): Delivery | undefined {
    const inProgress = new Set(
      this.#messages.filter(({ visibleAt }) => visibleAt > this.now).map(({ group }) => group),
    );
    for (const message of [...this.#messages]) {
      if (inProgress.has(message.group)) continue;
      if (message.receiveCount >= this.#attributes.maxReceiveCount) {
        this.#remove(message);
        this.deadLetters.push(message);
        continue;
      }
      message.receiveCount++;
      message.receiptHandle = randomUUID();
      message.visibleAt = this.now + this.#attributes.visibilityTimeout;
      return { ...message };
    }
    return undefined;
  }

  delete({ receiptHandle }: Delivery): void {
    const message = this.#find(receiptHandle);
    if (message !== undefined) this.#remove(message);
  }

  /** @returns whether the receipt handle is valid */
  changeVisibility(receiptHandle: string, seconds: number): boolean {
    const message = this.#find(receiptHandle);
    if (message !== undefined) message.visibleAt = this.now + seconds;
    return message !== undefined;
  }

  /** Moves the time forward to when the first message in progress becomes visible. */
  advance(): void {
    const times = this.#messages.map(({ visibleAt }) => visibleAt).filter((time) => time > this.now);
    if (times.length > 0) this.now = Math.min(...times);
  }

  #find(receiptHandle: string): Message | undefined {
    return this.#messages.find((message) => message.receiptHandle === receiptHandle);
  }

  #remove(message: Message): void {
    this.#messages = this.#messages.filter((other) => other !== message);
  }
}

/** An invocation of the function. */
export interface Invocation {
  readonly body: string;
  readonly receiveCount: number;
  /** When it began, in the queue's time. */
  readonly at: number;
}

/** Lambda starts with this number of pollers. */
const POLLERS = 5;

/**
 * Delivers messages to a function until the queue is empty, as an event source mapping with batch size 1 and partial batch responses does.
 * @param invoke receives the event; its result is the function's response, and an error is one of the function
 * @returns the invocations in their order, and the largest number of them at one time
 */
export async function consume(
  queue: FifoQueue,
  invoke: (event: object) => Promise<unknown>,
): Promise<{ invocations: Invocation[]; maxConcurrent: number }> {
  const invocations: Invocation[] = [];
  let concurrent = 0;
  let maxConcurrent = 0;
  const poll = async () => {
    while (!queue.isEmpty) {
      const message = queue.receive();
      if (message === undefined) {
        if (concurrent === 0) queue.advance();
        await sleep(5);
        continue;
      }
      concurrent++;
      maxConcurrent = Math.max(maxConcurrent, concurrent);
      invocations.push({ body: message.body, receiveCount: message.receiveCount, at: queue.now });
      const response = await invoke(queueEvent(message)).catch(() => undefined);
      if (JSON.stringify(response) === '{"batchItemFailures":[]}') queue.delete(message);
      concurrent--;
    }
  };
  await Promise.all(Array.from({ length: POLLERS }, poll));
  return { invocations, maxConcurrent };
}

/** @returns the event with which Lambda delivers a message */
export function queueEvent({ id, receiptHandle, body, receiveCount, group }: Delivery): object {
  const attributes = {
    ApproximateReceiveCount: String(receiveCount),
    MessageGroupId: group,
    SequenceNumber: '18849496460467696128',
  };
  const source = { eventSource: 'aws:sqs', awsRegion: 'us-east-1' };
  return { Records: [{ messageId: id, receiptHandle, body, attributes, messageAttributes: {}, ...source }] };
}
