import { expect, test } from 'vitest';
import { SectionCoder } from '../../../shared/load/code/code-section.ts';
import type { Section } from '../../../shared/load/source/sections.ts';
import { USER_ID_KEY } from '../../support/user-id-key.ts';

const LINES = 100_000;
const LIMIT = 10;

/** A block of 16 MiB can have 8 million lines, each of which took up to 300 bytes. */
test.each([
  ['the same problem', () => 'x'],
  ['different problems', (line: number) => `"${line}"`],
])('of lines with %s, a section holds no more than a report lists', async (_, lineOf) => {
  const coder = new SectionCoder(
    { timeZone: 'UTC', userIdKey: USER_ID_KEY, ids: new Map(), owners: new Map(), creatives: new Set() } as never,
    LIMIT,
  );
  const text = Array.from({ length: LINES }, (_, i) => `${lineOf(i)}\n`).join('');
  const section: Section = { format: 'ndjson', block: { bytes: new Uint8Array(Buffer.from(text)), line: 5 } };
  const { problems } = await coder.code(
    { experience: 'pla', table: 'delivery', names: {}, partitions: new Map() },
    section,
  );
  const { first, unseen } = problems;
  expect(first.length).toBeLessThanOrEqual(LIMIT);
  expect(first.slice(0, 3).map(({ line }) => line)).toEqual([5, 6, 7]);
  expect(first.reduce((count, { repeats = 0 }) => count + 1 + repeats, unseen)).toBe(LINES);
});
