import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { type ShownProgress, showProgress } from '../../../infra/cli/show-progress.ts';

/** @returns what is written while the load reports these states; a note ends the view for a while */
function shown(isTTY: boolean, states: readonly (ShownProgress | 'note')[]): string {
  const stream = Object.assign(new PassThrough(), { isTTY }) as unknown as NodeJS.WriteStream & PassThrough;
  const view = showProgress(stream);
  for (const state of states) {
    if (state === 'note') view.end();
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

test('a log has a line per stage, and one whenever the table begins to throttle', () => {
  const states = [writing(1), writing(2, 400.4), writing(3, 300), writing(4), writing(10, 1234)];
  const lines = shown(false, [{ ...writing(10), stage: 'check' }, ...states]).split('\n');
  expect(lines.map((line) => line.replace(/ [\d,]+ rows\/s in [\d.]+ s$/, ''))).toEqual([
    'checked 10,000 rows,',
    'throttled by the table: 400 units/s',
    'throttled by the table: 1,234 units/s',
    'wrote facts: 10,000 rows,',
    '',
  ]);
});

test('a terminal shows the rate to which the table throttles', () => {
  expect(shown(true, [writing(1), writing(10, 400)])).toContain('throttled by the table: 400 units/s');
});

test('a terminal shows a bar again after a note in the middle of a stage', () => {
  expect(shown(true, [writing(1), 'note', writing(2)])).toContain('20%');
});
