import { Validations } from 'aws-cdk-lib';
import { afterEach, expect, test, vi } from 'vitest';
import { ACKNOWLEDGED_FINDINGS } from '../../../infra/stack/acknowledged-findings.ts';
import { findProblems } from './support/find-problems.ts';
import { EVERY_SETTING } from './support/synthesized.ts';

afterEach(() => vi.restoreAllMocks());

test('every acknowledged finding occurs at its construct, and has a reason', () => {
  // so that the acknowledged findings are found, too
  vi.spyOn(Validations.prototype, 'acknowledge').mockImplementation(() => undefined);
  const found = [...findProblems(EVERY_SETTING), ...findProblems({ waf: 'off' })];
  const obsolete = ACKNOWLEDGED_FINDINGS.filter(
    ({ at, rule }) => !found.some((finding) => finding.startsWith(`AwsSolutions-${rule} at Endcap/${at}/`)),
  );
  expect(obsolete).toEqual([]);
  expect(ACKNOWLEDGED_FINDINGS.filter(({ reason }) => reason.length < 40)).toEqual([]);
});
