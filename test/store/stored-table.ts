import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Item } from '../../shared/store/table/item.ts';
import type { TestRequest } from '../http/support/gateway-event.ts';
import { type FunctionName, openTestService, type TestService } from '../http/support/test-service.ts';

/** A table as a release has stored it, and responses of that release. */
export interface StoredTable {
  readonly items: readonly Item[];
  readonly exchanges: readonly {
    readonly name: FunctionName;
    readonly request: TestRequest;
    readonly response: object;
  }[];
}

/** The key of the user whose responses are stored. */
export const KEY = 'key-stored';

/** @param file in this folder */
export function readTable(file: string): StoredTable {
  return JSON.parse(gunzipSync(readFileSync(join(import.meta.dirname, file))).toString(), decodeBytes);
}

/** @returns a service on a table of these items; the test closes it */
export async function openStored(items: readonly Item[]): Promise<TestService> {
  const service = await openTestService({ users: [] });
  await service.table.deleteMany(await service.content());
  await service.table.putMany(items);
  return service;
}

/** @returns the data of the response of a new instance */
export async function send(service: TestService, name: FunctionName, request: TestRequest): Promise<object> {
  const instance = await service.start();
  const { status, body } = await instance.send(name, { ...request, key: KEY });
  const { data, totals } = Object(body);
  return { status, data, totals };
}

function decodeBytes(_name: string, value: unknown): unknown {
  const { base64 } = Object(value);
  return typeof base64 === 'string' ? new Uint8Array(Buffer.from(base64, 'base64')) : value;
}
