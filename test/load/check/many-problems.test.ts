import { expect, test } from 'vitest';
import { formatProblem, MAX_COUNTED } from '../../../shared/load/schema/problems.ts';
import { DELIVERY } from '../support/folder.ts';
import { useRejections } from '../support/use-rejections.ts';

const { load } = useRejections();

/** A file of 10 GB was read to its end for the number of its wrong rows. */
test('a file is not read to its end once the folder has a million problems', async () => {
  const rows = MAX_COUNTED * 1.5;
  const wrong = (header: string, row: string) => `${header}\n${`${row}\n`.repeat(rows)}`;
  for (const files of [
    { 'facts/pla/delivery.csv': wrong(DELIVERY, '2026-03-01,0,1000,,,,,,-1,0,0,') },
    { 'accounts.csv': wrong('id,name', 'x y,') },
  ]) {
    const { outcome, problems, problemCount } = await load(files);
    const [file = ''] = Object.keys(files);
    expect(outcome).toBe('rejected');
    expect(problems.map(formatProblem).at(-1)).toBe(
      `${file}: is not read to its end: the folder has more than 1,000,000 problems`,
    );
    expect(problemCount).toBeGreaterThan(MAX_COUNTED);
    expect(problemCount).toBeLessThan(rows);
  }
});
