import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { factColumns } from '../../../shared/load/schema/fact-columns.ts';
import { formatProblem } from '../../../shared/load/schema/problems.ts';
import { DELIVERY } from '../support/folder.ts';
import { useRejections } from '../support/use-rejections.ts';

const { load, expectUnchanged } = useRejections();

const IN_FILE = readFileSync(join(import.meta.dirname, 'reports.txt'), 'utf8')
  .replaceAll('$DELIVERY', DELIVERY)
  .replaceAll('$DEEP', `${'['.repeat(100_000)}${']'.repeat(100_000)}`)
  .replaceAll(
    '$COLUMNS',
    factColumns('delivery')
      .map(({ name }) => name)
      .join(', '),
  );

/**
 * A case has its title after `==`, perhaps options of the load after `with`, the name of each file after `--` and below it its lines, and what the load reports
 * after `->`.
 */
const CASES = IN_FILE.split(/^== /m)
  .slice(1)
  .map((text) => {
    const [folder = '', report = ''] = text.split(/^-> /m);
    const [head = '', ...files] = folder.split(/^-- /m);
    const [title = '', options = '{}'] = head.trimEnd().split('\nwith ');
    const contents = files.map((file) => {
      const end = file.indexOf('\n');
      return [file.slice(0, end), file.slice(end + 1).replace('$60_MB', () => ' '.repeat(60e6))] as const;
    });
    return [title, JSON.parse(options), Object.fromEntries(contents), report.trimEnd().split('\n')] as const;
  });

/** Folders that can be loaded are only checked, so that each case meets the same network. */
test.each(CASES)('%s', async (_, { now, ...options }, files, expected) => {
  const clock = now === undefined ? Date.now : () => Date.parse(now);
  const check = expected[0] === 'checked';
  const { outcome, problems, warnings } = await load(files, { ...options, clock, check });
  const texts = [...problems.map(formatProblem), ...warnings.map((text) => `warning: ${text}`)];
  expect([outcome, ...texts]).toEqual(expected);
  await expectUnchanged();
});
