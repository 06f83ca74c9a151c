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

/** The first version of each action that runs on Node 24. GitHub has removed Node 20 from its runners. */
const NODE_24: Readonly<Record<string, number>> = {
  'actions/checkout': 5,
  'actions/setup-node': 5,
  'actions/upload-artifact': 6,
  'actions/download-artifact': 7,
  'aws-actions/configure-aws-credentials': 6,
};

test('workflows use actions that run on a supported Node', () => {
  const used = WORKFLOWS.flatMap((text) => [...text.matchAll(/uses: (.*)@\w+ # v(\d+)/g)]);
  const outdated = used.filter(([, name = '', major]) => Number(major) < (NODE_24[name] ?? Number.POSITIVE_INFINITY));
  expect(outdated.map(([use]) => use)).toEqual([]);
});

/** Deployments of one stack wait for each other, whichever name `cdk.json` gives it. */
test('the workflow that deploys takes the name of the stack from the synthesized assembly', () => {
  const [deploy = ''] = jobs.filter((text) => text.includes('id-token: write'));
  expect(deploy).toMatch(/concurrency: deploy-\$\{\{ needs\.build\.outputs\.stack \}\}/);
  expect(deploy).toContain('npx endcap prove --stack "$STACK"');
  expect(WORKFLOWS.join('')).toContain('.artifacts.Endcap.properties.stackName');
});

/** The job that deploys ran `npm ci` with the permission to assume the role, and so gave it to the install scripts of all packages. */
test('no job that can assume a role runs install scripts of packages', () => {
  expect(heads.filter((text) => text.includes('id-token'))).toEqual([]);
  const privileged = jobs.filter((text) => text.includes('id-token: write'));
  expect(privileged).toHaveLength(1);
  const installs = privileged.flatMap((text) => text.match(/npm (ci|i|install)\b.*/g) ?? []);
  expect(installs).toEqual(['npm ci --ignore-scripts --no-audit --no-fund']);
});
