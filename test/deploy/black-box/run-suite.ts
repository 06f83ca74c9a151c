import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Reply, Target } from '../target.ts';
import { bodyOf, type Case, type Suite, type World } from './suite.ts';

/** What the suite is asked of; the values are there once the tests run. */
export interface Asked {
  /** The first is what is tested; any other must answer the same. */
  targets(): readonly Target[];
  world(): World;
  /** What a target is known to do otherwise, by the names of cases; it must do just that. */
  readonly differences?: ReadonlyMap<string, Difference>;
}

/** What the first target does otherwise than AWS in one case. */
export interface Difference {
  readonly what: string;
  readonly reason: string;
  /** Throws where it is not what is said here: then the list is out of date. */
  readonly check: (reply: Reply) => void;
}

/** Makes a test of each case. */
export function runSuite({ name: suiteName, cases }: Suite, asked: Asked): void {
  const seen = new Map<Target, Map<string, Reply>>();
  describe(suiteName, () => {
    for (const one of cases) {
      const difference = asked.differences?.get(one.name);
      test(difference === undefined ? one.name : `${one.name} (differs: ${difference.what})`, async ({ skip }) => {
        const targets = asked.targets();
        const lacking = (one.keys ?? []).filter((key) => targets.some((it) => !it.keys.has(key)));
        if (lacking.length > 0) skip(`there is no key for: ${lacking.join(', ')}`);
        const loads = one.load !== undefined || one.afterLoad === true;
        if (loads && targets.some((it) => it.load === undefined)) skip('the table is not ours to load');
        const replies: Reply[] = [];
        for (const target of targets) {
          const ofTarget = seen.get(target) ?? new Map<string, Reply>();
          seen.set(target, ofTarget);
          const reply = await askTarget(one, target, asked.world(), ofTarget);
          ofTarget.set(one.name, reply);
          replies.push(reply);
          if (difference !== undefined && target === targets[0]) difference.check(reply);
          else checkReply(one, reply, (name) => earlierReply(ofTarget, name));
        }
        if (difference !== undefined) return;
        const [first, ...others] = replies.map(comparable);
        for (const other of others) expect(first).toEqual(other);
      });
    }
  });
}

async function askTarget(one: Case, target: Target, world: World, seen: Map<string, Reply>): Promise<Reply> {
  if (one.load !== undefined) await loadFiles(target, one.load);
  const ask = typeof one.ask === 'function' ? one.ask(world, (name) => earlierReply(seen, name)) : one.ask;
  return target.send(ask);
}

function checkReply(one: Case, reply: Reply, earlier: (name: string) => Reply): void {
  const body = bodyOf(reply);
  expect({ status: reply.status, code: body.code, body: reply.status === one.status ? undefined : body }).toEqual({
    status: one.status,
    code: one.code,
    body: undefined,
  });
  one.check?.(reply, earlier);
}

function earlierReply(seen: ReadonlyMap<string, Reply>, name: string): Reply {
  const found = seen.get(name);
  if (found === undefined) throw new Error(`“${name}” was not asked before`);
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

/** The headers that the service itself sets; those that differ between a gateway and its emulators are not the service's. */
const OWN_HEADERS = [
  'content-type',
  'content-encoding',
  'cache-control',
  'x-content-type-options',
  'link',
  'allow',
  'retry-after',
  'www-authenticate',
  'x-amzn-remapped-www-authenticate',
];

/** @returns all of an answer that must be the same wherever it comes from: every byte of the body but ids and times */
export function comparable({ status, headers, text }: Reply): object {
  const own = OWN_HEADERS.map((name) => [name, headers[name]]);
  return { status, headers: Object.fromEntries(own), text: withoutIdsAndTimes(text) };
}

function withoutIdsAndTimes(text: string): string {
  return text
    .replaceAll(/"(requestId|jti)":"[0-9a-f-]{36}"/g, '"$1":"<id>"')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
    .replaceAll(/"(iat|exp)":\d+/g, '"$1":<time>')
    .replaceAll(/eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+/g, '<token>');
}
