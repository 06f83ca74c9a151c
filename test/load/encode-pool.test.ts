import { afterAll, expect, test } from 'vitest';
import { type EncodeTask, openEncoder } from '../../shared/load/encode-pool.ts';
import { encodeSpilled } from '../../shared/load/encode-spilled.ts';

const pool = openEncoder(1_000_000, 2);
afterAll(() => pool.close());

/** A day of ten rows of two keywords. */
function task(day: number): EncodeTask {
  return {
    table: 'delivery',
    day,
    spilled: {
      rows: 10,
      keys: new Map([
        ['hour', { dictionary: [5], codes: new Uint32Array(10) }],
        ['ad_group_id', { dictionary: [7, 8], codes: Uint32Array.from({ length: 10 }, (_, row) => row % 2) }],
        [
          'keyword',
          { dictionary: ['milk', null], codes: Uint32Array.from({ length: 10 }, (_, row) => (row + day) % 2) },
        ],
      ]),
      measures: new Map([['clicks', Float64Array.from({ length: 10 }, (_, row) => row * day)]]),
      users: {
        offsets: Uint32Array.from({ length: 11 }, (_, row) => row),
        hashes: Float64Array.from({ length: 10 }, (_, row) => row % 3),
      },
    },
  };
}

test('threads encode as the calling thread does, however many days are given at once', async () => {
  const days = Array.from({ length: 20 }, (_, index) => index + 1);
  const encoded = await Promise.all(days.map((day) => pool.encode(task(day))));
  expect(encoded).toEqual(days.map((day) => encodeSpilled('delivery', day, task(day).spilled)));
});

test('small loads, and those that may not make threads, are encoded in the calling thread', async () => {
  for (const encoder of [openEncoder(1000, 2), openEncoder(1_000_000, 0), openEncoder(1_000_000, 1)]) {
    expect(encoder.atOnce).toBe(1);
    expect(await encoder.encode(task(3))).toEqual(encodeSpilled('delivery', 3, task(3).spilled));
    await encoder.close();
  }
});

test('an error in a thread is thrown, also to those that wait for one', async () => {
  const failing = openEncoder(1_000_000, 2);
  const broken: EncodeTask = { ...task(1), spilled: { ...task(1).spilled, rows: -1 } };
  const outcomes = await Promise.allSettled([1, 2, 3, 4, 5].map(() => failing.encode(broken)));
  expect(outcomes.map((it) => it.status)).toEqual(outcomes.map(() => 'rejected'));
  await expect(failing.encode(task(1))).rejects.toThrow('a thread that encodes facts has failed');
  await failing.close();
});
