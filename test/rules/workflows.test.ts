import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, readSource } from './source-files.ts';

const WORKFLOWS = readdirSync(join(ROOT, '.github/workflows')).map((name) => readSource(`.github/workflows/${name}`));

/** The head of each workflow, and its jobs. */
const [heads, jobs] = [
  WORKFLOWS.map((text) => text.split('\njobs:\n')[0] ?? ''),
  WORKFLOWS.flatMap((text) => (text.split('\njobs:\n')[1] ?? '').split(/^(?= {2}[\w-]+:$)/m)),
];

/** A tag can be moved to other code. */
test('workflows pin actions by commit, with the version as a comment', () => {
  const used = WORKFLOWS.flatMap((text) => [...text.matchAll(/uses: (.*)/g)].map(([, action = '']) => action));
  expect(used.length).toBeGreaterThan(3);
  expect(used.filter((action) => !/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
});

/** The job that deploys ran `npm ci` with the permission to assume the role, and so gave it to the install scripts of all packages. */
test('no job that can assume a role runs install scripts of packages', () => {
  expect(heads.filter((text) => text.includes('id-token'))).toEqual([]);
  const privileged = jobs.filter((text) => text.includes('id-token: write'));
  expect(privileged).toHaveLength(1);
  const installs = privileged.flatMap((text) => text.match(/npm (ci|i|install)\b.*/g) ?? []);
  expect(installs).toEqual(['npm ci --ignore-scripts --no-audit --no-fund']);
});
