import { expect, test } from 'vitest';
import * as contract from '../../../shared/contract/report/report-request.ts';
import { MAX_PAGE_SIZE, MAX_REPORT_DAYS } from '../../../shared/web/explorer/question/limits.ts';

test('the explorer has the limits of the contract', () => {
  const { MAX_PAGE_SIZE: size, MAX_REPORT_DAYS: days } = contract;
  expect({ MAX_PAGE_SIZE, MAX_REPORT_DAYS }).toEqual({ MAX_PAGE_SIZE: size, MAX_REPORT_DAYS: days });
});
