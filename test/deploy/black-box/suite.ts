import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FILE_HEADERS } from '../../../shared/contract/header-names.ts';
import type { ApiRequest, ApiResponse, KeyName, Target } from '../target.ts';

/** The ids that the requests use; read from the API. */
export interface TestData {
  /** One of the caller's accounts. */
  readonly accountId: number;
  /** One of the caller's ad groups that has delivery. */
  readonly adGroupId: number;
}

/** @returns the target's response in an earlier case */
export type Earlier = (name: string) => ApiResponse;

/** One request and the expected response. */
export interface Case {
  /** Completes the test's title “responds 200 to …”. */
  readonly name: string;
  readonly request: ApiRequest | ((testData: TestData, earlier: Earlier, target: Target) => ApiRequest);
  readonly status: number;
  /** The expected problem code. */
  readonly code?: string;
  /** Rows to load before the request, by the name of their file. */
  readonly load?: Readonly<Record<string, readonly object[]>>;
  /** Whether the request depends on what an earlier case has loaded. */
  readonly afterLoad?: true;
  /** The keys that the request needs besides `agency`. */
  readonly keys?: readonly KeyName[];
  /** Throws if the response is wrong. */
  readonly check?: (response: ApiResponse, earlier: Earlier) => void;
}

export interface Suite {
  readonly name: string;
  readonly cases: readonly Case[];
}

/** @returns the body, parsed as JSON */
export function bodyOf(response: ApiResponse): Record<string, unknown> {
  return Object(JSON.parse(response.text));
}

/** Where a suite sends its requests. The functions return their values once the tests run. */
export interface SuiteOptions {
  /** The first target is tested; the others must respond in the same way. */
  targets(): readonly Target[];
  testData(): TestData;
  /** Known differences of the first target, by the names of cases; each must occur as described. */
  readonly differences?: ReadonlyMap<string, Difference>;
}

/** A difference between the first target and AWS in one case. */
export interface Difference {
  readonly what: string;
  readonly reason: string;
  /** Throws if the response is not the described one: then the list is out of date. */
  readonly check: (response: ApiResponse) => void;
}

/** Adds a test per case. */
export function runSuite({ name: suiteName, cases }: Suite, options: SuiteOptions): void {
  const earlier = new Map<Target, Map<string, ApiResponse>>();
  describe(suiteName, () => {
    for (const one of cases) {
      const difference = options.differences?.get(one.name);
      const expected = one.code === undefined ? one.status : `${one.status} ${one.code}`;
      const suffix = difference === undefined ? '' : `, except for a known difference: ${difference.what}`;
      test(`responds ${expected} to ${one.name}${suffix}`, async ({ skip }) => {
        const targets = options.targets();
        const missing = (one.keys ?? []).filter((key) => targets.some((target) => !target.keys.has(key)));
        if (missing.length > 0) skip(`there is no key for: ${missing.join(', ')}`);
        const needsLoad = one.load !== undefined || one.afterLoad === true;
        if (needsLoad && targets.some((target) => target.load === undefined))
          skip('the test must not write to the table');
        const responses: ApiResponse[] = [];
        for (const target of targets) {
          const ofTarget = earlier.get(target) ?? new Map<string, ApiResponse>();
          earlier.set(target, ofTarget);
          const response = await sendCase(one, target, options.testData(), ofTarget);
          ofTarget.set(one.name, response);
          responses.push(response);
          if (difference !== undefined && target === targets[0]) difference.check(response);
          else checkResponse(one, response, (name) => findEarlier(ofTarget, name));
        }
        if (difference !== undefined) return;
        const [first, ...others] = responses.map(comparable);
        for (const other of others) expect(first).toEqual(other);
      });
    }
  });
}

async function sendCase(
  one: Case,
  target: Target,
  testData: TestData,
  earlier: ReadonlyMap<string, ApiResponse>,
): Promise<ApiResponse> {
  if (one.load !== undefined) await loadFiles(target, one.load);
  const { request } = one;
  if (typeof request !== 'function') return target.send(request);
  return target.send(request(testData, (name) => findEarlier(earlier, name), target));
}

function checkResponse(one: Case, response: ApiResponse, earlier: Earlier): void {
  const body = /json$/.test(response.headers['content-type'] ?? '') ? bodyOf(response) : {};
  expect({ status: response.status, code: body.code, body: response.status === one.status ? undefined : body }).toEqual(
    {
      status: one.status,
      code: one.code,
      body: undefined,
    },
  );
  one.check?.(response, earlier);
}

function findEarlier(earlier: ReadonlyMap<string, ApiResponse>, name: string): ApiResponse {
  const found = earlier.get(name);
  if (found === undefined) throw new Error(`there is no earlier case “${name}”`);
  return found;
}

async function loadFiles(target: Target, files: Readonly<Record<string, readonly object[]>>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-load-'));
  for (const [name, rows] of Object.entries(files)) {
    writeFileSync(join(folder, `${name}.ndjson`), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  }
  await target.load?.(folder);
  rmSync(folder, { recursive: true });
}

/** The headers that the service sets, as opposed to those of the gateway. */
const OWN_HEADERS = [
  'content-type',
  'content-encoding',
  'vary',
  'cache-control',
  'strict-transport-security',
  'x-content-type-options',
  'link',
  'allow',
  'retry-after',
  'www-authenticate',
  'x-amzn-remapped-www-authenticate',
  ...Object.values(FILE_HEADERS).map((name) => name.toLowerCase()),
];

/** @returns the part of a response that must be equal on all targets: status, own headers, and the body without ids, times, keys and tokens */
function comparable({ status, headers, text }: ApiResponse): object {
  const own = OWN_HEADERS.map((name) => [name, headers[name] && withoutVaryingParts(headers[name])]);
  return { status, headers: Object.fromEntries(own), text: withoutVaryingParts(text) };
}

function withoutVaryingParts(text: string): string {
  return text
    .replaceAll(/"(requestId|jti)":"[0-9a-f-]{36}"/g, '"$1":"<id>"')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
    .replaceAll(/"next":"[\w-]{8}\.\d{13}"/g, '"next":"<token>"')
    .replaceAll(/https?:\/\/[^/\s"]+(?=\/v2\/explorer)/g, '<origin>')
    .replaceAll(/"(iat|exp)":\d+/g, '"$1":<time>')
    .replaceAll(/"(kid|x|y)":"[\w-]{43}"/g, '"$1":<part of a public key>')
    .replaceAll(/eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/g, '<token>');
}
