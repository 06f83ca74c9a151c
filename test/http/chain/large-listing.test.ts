import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { call } from '../support/gateway-event.ts';
import { KEY, outcome, testListing, useLog } from './endpoints.ts';

useLog();

const accountIds = Array.from({ length: 21_000 }, (_, id) => 100_000 + id);
const CONTACTS = Array.from({ length: 100 }, (_, id) => ({ id, accountIds }));

/** A page of contacts, each of which is listed by 21,000 accounts of the caller. */
const listContacts = testListing(
  z.strictObject({ id: z.int(), accountIds: z.array(z.int()) }),
  async (_request, { offset, size }) => ({ items: CONTACTS.slice(offset, offset + size), total: 100 }),
);

const ADVERTISERS = Array.from({ length: 100 }, (_, id) => ({ id, name: '\u0001'.repeat(10_000) }));

const listAdvertisers = testListing(
  z.strictObject({ id: z.int(), name: z.string() }),
  async (_request, { offset, size }) => ({ items: ADVERTISERS.slice(offset, offset + size), total: 100 }),
);

/** CSV has control characters as they are, but each takes six bytes in Lambda's result: the response of 6 MB had status 502. */
test('a listing’s page as CSV whose control characters exceed the limit of Lambda is rejected with a size that fits', async () => {
  const send = (size: string) =>
    call(listAdvertisers, {
      headers: [KEY, ['Accept', 'text/csv']],
      query: [
        ['size', size],
        ['offset', '0'],
      ],
    });
  const rejected = await send('100');
  expect(outcome(rejected)).toEqual([422, 'PAGE_TOO_LARGE']);
  expect(rejected.body).toMatchObject({ detail: expect.stringContaining('request a size of 82 or less') });
  const { status, text } = await send('82');
  expect(status).toBe(200);
  expect(Buffer.byteLength(JSON.stringify(text))).toBeLessThan(6_000_000);
});

/** It was 15 MB, of which Lambda sends 6: the response had status 502. */
test.each([
  ['application/json', 33],
  ['text/csv', 29],
])('a listing’s page of 15 MB is rejected with a size that fits: %s', async (accept, fitting) => {
  const send = (size: string) =>
    call(listContacts, {
      headers: [KEY, ['Accept', accept]],
      query: [
        ['size', size],
        ['offset', '0'],
      ],
    });
  const rejected = await send('100');
  expect(outcome(rejected)).toEqual([422, 'PAGE_TOO_LARGE']);
  expect(rejected.body).toMatchObject({
    detail: `This page would have more than 5500000 bytes. From this offset on, request a size of ${fitting} or less.`,
    errors: [{ in: 'query', pointer: 'size', code: 'PAGE_TOO_LARGE', detail: `Must be ${fitting} or less here.` }],
  });
  const { status, text } = await send(String(fitting));
  expect(status).toBe(200);
  expect(Buffer.byteLength(text)).toBeLessThan(6_000_000);
});
