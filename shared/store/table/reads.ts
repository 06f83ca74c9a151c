import {
  BatchGetItemCommand,
  type BatchGetItemCommandInput,
  type BatchGetItemCommandOutput,
  type DynamoDBClient,
  GetItemCommand,
  type GetItemCommandInput,
  type GetItemCommandOutput,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { type Clock, systemClock } from '../../lib/clock.ts';
import type { SendOptions } from './calls.ts';
import { asRecord } from './item.ts';

type Signer = Awaited<ReturnType<DynamoDBClient['config']['signer']>>;
type HttpRequest = Parameters<Signer['sign']>[0];

/**
 * Sends reads with the SDK's signer, sockets and time limits, but without its middlewares, which take 0.3 ms of processor time per call and 0.005 ms per
 * item (figures: shared/README.md). A read that does not succeed at the first attempt is sent again by the SDK, with its retries and errors. Bytes in
 * responses are base64 unless the SDK has parsed them.
 */
export class Reads {
  readonly #client: DynamoDBClient;
  /** The table's clock minus the system's. */
  #clockOffsetMs = 0;
  #signer: Promise<Signer> | undefined;
  /** The first request of the SDK, without its content: others go to the same address. */
  #sample: HttpRequest | undefined;

  constructor(client: DynamoDBClient) {
    this.#client = client;
    client.middlewareStack.add(
      (next) => async (args) => {
        const { headers, ...request } = args.request as HttpRequest; // in this step, `args.request` is the signed HTTP request
        this.#sample ??= { ...request, headers: { host: headers.host ?? '' }, body: undefined };
        const result = await next(args);
        this.#observeDate(asRecord(asRecord(result.response)?.headers)?.date);
        return result;
      },
      { step: 'deserialize', name: 'observe' },
    );
  }

  /** The clock of the table, which all processes share: that of its latest response, exact to about a second. Before the first one, the system's. */
  readonly clock: Clock = () => systemClock() + this.#clockOffsetMs;

  async getItem(input: GetItemCommandInput, options: SendOptions): Promise<GetItemCommandOutput> {
    const found = await this.#send<GetItemCommandOutput>('GetItem', input, options);
    return found ?? this.#client.send(new GetItemCommand(input), options);
  }

  async query(input: QueryCommandInput, options: SendOptions): Promise<QueryCommandOutput> {
    const found = await this.#send<QueryCommandOutput>('Query', input, options);
    return found ?? this.#client.send(new QueryCommand(input), options);
  }

  async batchGetItem(input: BatchGetItemCommandInput, options: SendOptions): Promise<BatchGetItemCommandOutput> {
    const found = await this.#send<BatchGetItemCommandOutput>('BatchGetItem', input, options);
    return found ?? this.#client.send(new BatchGetItemCommand(input), options);
  }

  /**
   * @returns DynamoDB's response; undefined if the SDK has sent nothing yet, or the attempt has failed
   * @throws the signal's reason when it aborts
   */
  async #send<Output>(operation: string, input: object, { abortSignal }: SendOptions): Promise<Output | undefined> {
    if (this.#sample === undefined) return undefined;
    const { config } = this.#client;
    try {
      this.#signer ??= config.signer();
      const signer = await this.#signer;
      const signingDate = new Date(systemClock() + config.systemClockOffset);
      const request = await signer.sign(requestLike(this.#sample, operation, JSON.stringify(input)), { signingDate });
      const { response } = await config.requestHandler.handle(
        request,
        abortSignal === undefined ? {} : { abortSignal },
      );
      this.#observeDate(response.headers.date);
      const { buffer, byteOffset, byteLength } = await config.streamCollector(response.body);
      if (response.statusCode !== 200) return undefined;
      // a response with status 200 is the operation's output
      return JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString()) as Output;
    } catch {
      abortSignal?.throwIfAborted();
      return undefined;
    }
  }

  #observeDate(date: unknown): void {
    const time = Date.parse(String(date));
    if (!Number.isNaN(time)) this.#clockOffsetMs = time - systemClock();
  }
}

function requestLike(sample: HttpRequest, operation: string, body: string): HttpRequest {
  return {
    ...sample,
    headers: {
      ...sample.headers,
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${operation}`,
    },
    body,
  };
}
