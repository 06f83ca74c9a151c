import { EventEmitter } from 'node:events';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { decompress } from '../../shared/lib/zstd.ts';

const CHECKSUM = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };
/** Random bytes, and bytes that compress well. */
const CONTENT = fc.oneof(
  fc.uint8Array({ maxLength: 400 }),
  fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 8 }), fc.nat(70_000)).map(([bytes, length]) => {
    return Uint8Array.from({ length }, (_, i) => bytes[i % bytes.length] ?? 0);
  }),
);

describe('decompress', () => {
  it('returns the content of frames with and without a checksum, one after the other', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(CONTENT, fc.boolean()), { minLength: 1, maxLength: 8 }), (parts) => {
        const frames = parts.map(([content, hasChecksum]) => zstdCompressSync(content, hasChecksum ? CHECKSUM : {}));
        const results = frames.map((frame) => decompress(frame));
        expect(results.map((bytes) => Buffer.from(bytes).toString('hex'))).toEqual(
          parts.map(([content]) => Buffer.from(content).toString('hex')),
        );
      }),
    );
  });

  it('throws for damaged frames or returns what zstdDecompressSync returns, and decompresses intact ones after them', () => {
    const damage = fc.record({ at: fc.nat(), bit: fc.nat(7), cut: fc.nat(), hasChecksum: fc.boolean() });
    fc.assert(
      fc.property(CONTENT, fc.constantFrom('change', 'cut'), damage, (content, kind, { at, bit, cut, hasChecksum }) => {
        const frame = zstdCompressSync(content, hasChecksum ? CHECKSUM : {});
        const damaged = kind === 'cut' ? frame.subarray(0, cut % frame.length) : Buffer.from(frame);
        if (kind === 'change') damaged[at % frame.length] = (damaged[at % frame.length] ?? 0) ^ (1 << bit);
        const limit = 2 ** 20;
        const expected = outcome(() => zstdDecompressSync(damaged, { maxOutputLength: limit }));
        // Node accepts some frames that are too short for their header
        expect(['an error', expected]).toContain(outcome(() => decompress(damaged, limit)));
        expect(outcome(() => decompress(frame))).toBe(Buffer.from(content).toString('hex'));
      }),
      { numRuns: 1000 },
    );
  });

  it.each([0, 1, 2 ** 20 - 1, 2 ** 20, 2 ** 20 + 1, 20_000_000])('returns content of %i bytes', (length) => {
    const content = Buffer.alloc(length, 7);
    const frame = zstdCompressSync(content);
    for (const max of [undefined, length]) expect(content.equals(decompress(frame, max))).toBe(true);
  });

  it('rejects content that is longer than the limit, and accepts content of that length', () => {
    const frame = zstdCompressSync(new Uint8Array(1_000_000));
    expect(decompress(frame, 1_000_000)).toEqual(new Uint8Array(1_000_000));
    expect(() => decompress(frame, 999_999)).toThrow(/larger than 999999/);
  });

  it('decompresses frames whose header does not state the length', () => {
    const frame = zstdCompressSync('streamed', { params: { [constants.ZSTD_c_contentSizeFlag]: 0 } });
    expect(Buffer.from(decompress(frame)).toString()).toBe('streamed');
  });
});

describe('the reused context', () => {
  afterEach(() => {
    vi.doUnmock('node:zlib');
    vi.resetModules();
  });

  it('decompresses without zstdDecompressSync, except for damaged frames', async () => {
    const { module, calls } = await importWith({});
    const frame = zstdCompressSync('content');
    for (let i = 0; i < 3; i++) expect(Buffer.from(module.decompress(frame)).toString()).toBe('content');
    expect(calls()).toBe(0);
    expect(() => module.decompress(frame.subarray(0, -1))).toThrow();
    expect(Buffer.from(module.decompress(frame)).toString()).toBe('content');
    expect(calls()).toBe(1);
  });

  it.each([
    ['lacks the functions', () => new EventEmitter()],
    [
      'has functions that do something else',
      () => Object.assign(new EventEmitter(), { _handle: { writeSync() {} }, _writeState: new Uint32Array([1, 0]) }),
    ],
  ])('is not used where Node %s', async (_title, createZstdDecompress) => {
    const { module, calls } = await importWith({ createZstdDecompress });
    const frame = zstdCompressSync('content');
    for (let i = 0; i < 2; i++) expect(Buffer.from(module.decompress(frame)).toString()).toBe('content');
    expect(calls()).toBe(2);
  });
});

/** @returns the module with other functions of node:zlib, and the number of calls of zstdDecompressSync */
async function importWith(functions: object) {
  vi.resetModules();
  const spy = vi.fn(zstdDecompressSync);
  vi.doMock('node:zlib', async (original) => ({ ...(await original()), zstdDecompressSync: spy, ...functions }));
  return { module: await import('../../shared/lib/zstd.ts'), calls: () => spy.mock.calls.length };
}

function outcome(work: () => Uint8Array): string {
  try {
    return Buffer.from(work()).toString('hex');
  } catch {
    return 'an error';
  }
}
