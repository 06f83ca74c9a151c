import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  type BatchGetCommandOutput,
  type DynamoDBDocumentClient,
  GetCommand,
  type GetCommandInput,
  type GetCommandOutput,
  QueryCommand,
  type QueryCommandInput,
  type QueryCommandOutput,
} from '@aws-sdk/lib-dynamodb';
import { type Clock, systemClock } from '../../lib/clock.ts';
import type { MeteredResponse, SendOptions } from './calls.ts';
import { asRecord } from './item.ts';

type Signer = Awaited<ReturnType<DynamoDBDocumentClient['config']['signer']>>;
type HttpRequest = Parameters<Signer['sign']>[0];

/** Attributes as DynamoDB's JSON has them. */
type Attributes = Readonly<Record<string, AttributeValue>>;

/** The output of any of the three operations in DynamoDB's JSON. */
interface WireOutput extends MeteredResponse {
  readonly Item?: Attributes;
  readonly Items?: readonly Attributes[];
  readonly LastEvaluatedKey?: Attributes;
  readonly Responses?: Readonly<Record<string, readonly Attributes[]>>;
  readonly UnprocessedKeys?: Readonly<Record<string, { readonly Keys?: readonly Attributes[] }>>;
}

/**
 * Sends reads with the SDK's signer, sockets and time limits, but without its middlewares: see "Reads of the table" in shared/README.md. A read that does not succeed at the first attempt is sent again by the SDK, with its retries and errors.
 */
export class Reads {
  readonly #client: DynamoDBDocumentClient;
  /** The table's clock minus the system's. */
  #clockOffsetMs = 0;
  #signer: Promise<Signer> | undefined;
  /** The first request of the SDK, without its content: others go to the same address. */
  #sample: HttpRequest | undefined;

  constructor(client: DynamoDBDocumentClient) {
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

  /** The clock of the table's latest response, which all processes share, exact to about a second; before the first one, the system's. */
  readonly clock: Clock = () => systemClock() + this.#clockOffsetMs;

  async get(input: GetCommandInput, options: SendOptions): Promise<Pick<GetCommandOutput, 'Item'> & MeteredResponse> {
    const found = await this.#send('GetItem', { ...input, Key: encode(input.Key) }, options);
    if (found === undefined) return this.#client.send(new GetCommand(input), options);
    return { ...found, Item: found.Item && decode(found.Item) };
  }

  async query(
    input: QueryCommandInput,
    options: SendOptions,
  ): Promise<Pick<QueryCommandOutput, 'Items' | 'LastEvaluatedKey'> & MeteredResponse> {
    const { ExpressionAttributeValues, ExclusiveStartKey } = input;
    const values = { ExpressionAttributeValues: encode(ExpressionAttributeValues) };
    const start = ExclusiveStartKey && { ExclusiveStartKey: encode(ExclusiveStartKey) };
    const found = await this.#send('Query', { ...input, ...values, ...start }, options);
    if (found === undefined) return this.#client.send(new QueryCommand(input), options);
    const { Items, LastEvaluatedKey } = found;
    return { ...found, Items: Items?.map(decode), LastEvaluatedKey: LastEvaluatedKey && decode(LastEvaluatedKey) };
  }

  async batchGet(
    input: BatchGetCommandInput,
    options: SendOptions,
  ): Promise<Pick<BatchGetCommandOutput, 'Responses' | 'UnprocessedKeys'> & MeteredResponse> {
    const RequestItems = mapValues(input.RequestItems, (wanted) => ({ ...wanted, Keys: wanted.Keys?.map(encode) }));
    const found = await this.#send('BatchGetItem', { ...input, RequestItems }, options);
    if (found === undefined) return this.#client.send(new BatchGetCommand(input), options);
    return {
      ...found,
      Responses: mapValues(found.Responses, (items) => items.map(decode)),
      UnprocessedKeys: mapValues(found.UnprocessedKeys, ({ Keys }) => ({ Keys: Keys?.map(decode) })),
    };
  }

  /**
   * @returns DynamoDB's response; undefined if the SDK has sent nothing yet, or the attempt has failed
   * @throws the signal's reason when it aborts
   */
  async #send(operation: string, input: object, { abortSignal }: SendOptions): Promise<WireOutput | undefined> {
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
      return JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString()) as WireOutput;
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

function mapValues<A, B>(record: Readonly<Record<string, A>> = {}, map: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}

/** @param texts a key, or the bounds of a Query */
const encode = (texts: Readonly<Record<string, unknown>> | undefined) => mapValues(texts, (S) => ({ S }));

function decode(attributes: Attributes): Record<string, unknown> {
  const item: Record<string, unknown> = {};
  for (const name in attributes) item[name] = decodeValue(attributes[name] as AttributeValue); // `name` is one of its names
  return item;
}

/** Items have no sets. */
function decodeValue({ S, N, B, BOOL, L, M, NULL }: AttributeValue): unknown {
  if (S !== undefined) return S;
  if (N !== undefined) return Number(N);
  if (B !== undefined) return decodeBase64(String(B)); // the SDK's type has bytes here
  if (BOOL !== undefined) return BOOL;
  if (L !== undefined) return L.map(decodeValue);
  if (M !== undefined) return decode(M);
  if (NULL !== undefined) return null;
  throw new Error('an item of the table has an attribute of an unknown type');
}

/**
 * Unlike the SDK's own decoder, this one does not test the text against a regular expression. DynamoDB encodes
 * what was stored, and segments, manifests and columns have checksums.
 */
export function decodeBase64(text: string): Uint8Array {
  const { buffer, byteOffset, byteLength } = Buffer.from(text, 'base64');
  return new Uint8Array(buffer, byteOffset, byteLength);
}
