import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { beforeEach } from 'vitest';
import * as z from 'zod';
import { useLocalCredentials } from '../../../infra/local/emulator/services/local-credentials.ts';
import type { FifoQueue } from './fifo-queue.ts';
import { useServer } from './use-server.ts';

/** The operation of SQS that the function calls. Requests without a valid signature are rejected, as by AWS. */
export interface QueueServer {
  readonly endpoint: string;
  /** The URL of the queue, as the function gets it. */
  readonly url: string;
  /** The queue of the running test. */
  queue: FifoQueue | undefined;
  /** The seconds that were set so far. */
  readonly visibilities: number[];
  /** HTTP statuses of the next responses, instead of the normal ones. */
  readonly faults: number[];
}

const Input = z.strictObject({
  QueueUrl: z.string(),
  ReceiptHandle: z.string(),
  VisibilityTimeout: z.int().max(43_200),
});

/** Runs a server during the tests of the calling file, and resets it before each of them. */
export function useQueueServer(): QueueServer {
  useLocalCredentials();
  const visibilities: number[] = [];
  const faults: number[] = [];
  const server = useServer((request, response) => void respond(request, response));
  const self: QueueServer = {
    get endpoint() {
      return server.endpoint;
    },
    get url() {
      return `${self.endpoint}/000000000000/folders.fifo`;
    },
    queue: undefined,
    visibilities,
    faults,
  };
  beforeEach(() => {
    self.queue = undefined;
    visibilities.length = 0;
    faults.length = 0;
  });
  return self;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await Array.fromAsync(request)).toString();
    const fault = faults.shift();
    if (fault !== undefined) return reject(response, fault, 'Injected');
    if (request.headers['x-amz-target'] !== 'AmazonSQS.ChangeMessageVisibility')
      return reject(response, 400, 'InvalidAction');
    if (request.headers.authorization !== authorizationOf(request, body))
      return reject(response, 403, 'InvalidSignatureException');
    const input = Input.parse(JSON.parse(body));
    if (new URL(input.QueueUrl).pathname !== new URL(self.url).pathname)
      return reject(response, 400, 'QueueDoesNotExist');
    if (self.queue?.changeVisibility(input.ReceiptHandle, input.VisibilityTimeout) === false)
      return reject(response, 400, 'ReceiptHandleIsInvalid');
    visibilities.push(input.VisibilityTimeout);
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end('{}');
  }
}

function reject(response: ServerResponse, status: number, type: string): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify({ __type: type }));
}

/** @returns the header that a request must have, calculated as AWS documents Signature Version 4 */
function authorizationOf({ method, url, headers }: IncomingMessage, body: string): string {
  const { AWS_ACCESS_KEY_ID: id = '', AWS_SECRET_ACCESS_KEY: secret = '' } = process.env;
  const time = String(headers['x-amz-date']);
  const signed = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1] ?? '';
  const lines = signed.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const canonical = [method, url, '', lines.join(''), signed, createHash('sha256').update(body).digest('hex')];
  const scope = `${time.slice(0, 8)}/us-east-1/sqs/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(canonical.join('\n')).digest('hex')];
  const key = scope.split('/').reduce<string | Buffer>((last, part) => hmac(last, part).digest(), `AWS4${secret}`);
  const signature = hmac(key, text.join('\n')).digest('hex');
  return `AWS4-HMAC-SHA256 Credential=${id}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
}

function hmac(key: string | Buffer, text: string): ReturnType<typeof createHmac> {
  return createHmac('sha256', key).update(text);
}
