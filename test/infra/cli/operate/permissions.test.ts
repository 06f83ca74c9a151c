import { expect, test } from 'vitest';
import { PAGES } from '../../../rules/pages.ts';
import { readSource } from '../../../rules/source-files.ts';

const PAGE = readSource('infra/README.md');
const TEXT = PAGES.map(readSource).join('\n');
/** The cells of the table's first column, each with one or more commands or their beginnings. */
const COMMANDS = [...(/\| Command \| Permissions \|\n(?:\|.*\n)+/.exec(PAGE)?.[0] ?? '').matchAll(/^\| (`.*?`) \|/gm)]
  .flatMap(([, cell = '']) => [...cell.matchAll(/`(.*?)(?: --)?(?: … .*)?…?`/g)])
  .map(([, command = '']) => command);

/** Commands that do not call AWS, and those that call only the deployed API. */
const WITHOUT_AWS = /^npm run (audit|bench|check|client|demo|lint|mcp|openapi|report|synth|test|types)/;

test('the table of permissions has every command of the pages that calls AWS', () => {
  const used = [...TEXT.matchAll(/\bnpm run [\w:]+|\bnpx cdk \w+|\bnpm exec -- cdk \w+/g)].map(([command]) => command);
  expect(used.length).toBeGreaterThan(20);
  const missing = used.filter((command) => !COMMANDS.some((known) => known.startsWith(command)));
  expect([...new Set(missing)].filter((command) => !WITHOUT_AWS.test(command))).toEqual([]);
});

/** For all other commands of AWS, the service and the command are the prefix and the name of an action. */
const OTHER_ACTIONS =
  /^aws (s3 \w+|dynamodb wait|dynamodb restore-table-|dynamodb export-table-|dynamodb import-table|sqs start-message-move-task)/;

test('the table of permissions has every command of AWS whose action has another name, or is not the only one', () => {
  const used = [...TEXT.matchAll(/\baws [a-z\d]+ [a-z][a-z-]+/g)].map(([command]) => command);
  expect(used.length).toBeGreaterThan(20);
  const special = used.flatMap((command) => OTHER_ACTIONS.exec(command)?.[0] ?? []);
  expect([...new Set(special)].filter((command) => !COMMANDS.includes(command))).toEqual([]);
});
