import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ShownProgress, showProgress } from '../../../infra/cli/show-progress.ts';

/** @returns what is written while the load reports these states, with milliseconds between them; a note ends the view for a while */
function shown(isTTY: boolean, states: readonly (ShownProgress | 'note' | number)[]): string {
  const stream = Object.assign(new PassThrough(), { isTTY }) as unknown as NodeJS.WriteStream & PassThrough;
  const view = showProgress(stream);
  for (const state of states) {
    if (state === 'note') view.end();
    else if (typeof state === 'number') vi.advanceTimersByTime(state);
    else view.update(state);
  }
  view.end();
  return String(stream.read());
}

const writing = (done: number, throttledTo?: number): ShownProgress => ({
  stage: 'write facts',
  done,
  total: 10,
  rows: done * 1000,
  throttledTo,
});

const checking = (rows: number): ShownProgress => ({ stage: 'check', done: rows, total: 1_000_000, rows });

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

test('a log has a line per stage with its time and rate, and one in each stage in which the table throttles', () => {
  const states = [checking(0), 4_000, checking(1_000_000), writing(0, 400.4), writing(5, 300), 500, writing(10, 200)];
  expect(shown(false, states).split('\n')).toEqual([
    'checked 1,000,000 rows, 250,000 rows/s in 4.0 s',
    'throttled by the table: 400 units/s',
    'wrote facts: 10,000 rows in 0.5 s',
    '',
  ]);
});

test('a log has no line of a stage in which the load ends, and one line of a stage with a note in the middle', () => {
  const states = [
    checking(0),
    2_000,
    checking(400_000),
    'note',
    2_000,
    checking(1_000_000),
    writing(0),
    writing(9),
  ] as const;
  expect(shown(false, states)).toBe('checked 1,000,000 rows, 250,000 rows/s in 4.0 s\n');
});

test('a log has no line of a stage in which an attempt of the load fails', () => {
  const first = [checking(0), 2_000, checking(300_000)];
  const second = [checking(0), 2_000, checking(1_000_000)];
  expect(shown(false, [...first, ...second])).toBe('checked 1,000,000 rows, 500,000 rows/s in 2.0 s\n');
  expect(shown(false, [writing(1), ...second])).toBe('checked 1,000,000 rows, 500,000 rows/s in 2.0 s\n');
});

test('a log has a line without an amount of a stage whose end was not seen', () => {
  const verifying: ShownProgress = { stage: 'verify', done: 5e7, total: 7e7, rows: 0 };
  expect(shown(false, [verifying, 2_000, checking(10)])).toBe('verified in 2.0 s\n');
});

test('a log has a line for each time that the folder is checked', () => {
  const check = [checking(0), 2_000, checking(1_000_000)];
  const line = 'checked 1,000,000 rows, 500,000 rows/s in 2.0 s\n';
  expect(shown(false, [...check, ...check])).toBe(line + line);
});

test('the rate counts only what was done since the stage is shown', () => {
  const states = [checking(600_000), 2_000, checking(700_000)];
  expect(shown(true, states)).toContain('700,000 rows, 50,000 rows/s');
  expect(shown(true, states)).toContain('60% · 600,000 rows');
  expect(shown(true, states)).not.toContain('600,000 rows,');
});

test('a terminal shows the rate to which the table throttles', () => {
  expect(shown(true, [writing(1), writing(10, 400)])).toContain('throttled by the table: 400 units/s');
});

test('a terminal shows a bar again after a note in the middle of a stage, with the rate of the whole stage', () => {
  const states = [checking(0), 2_000, checking(200_000), 'note', 2_000, checking(400_000)] as const;
  expect(shown(true, states)).toMatch(/40% · 400,000 rows, 100,000 rows\/s/);
});

test('a terminal shows the remaining time from a second on', () => {
  const text = shown(true, [checking(0), 2_000, checking(100_000)]);
  expect(text).toContain('0% · 0 rows');
  expect(text).toContain('10% · 100,000 rows, 50,000 rows/s, 18 s left');
  expect(shown(true, [checking(0), 60_000, checking(100_000)])).toContain(', 9 min left');
});
