import { describe, expect, test } from 'vitest';
import { parseReadyEvent } from '../../shared/ingest/ready-event.ts';
import { parseReadyFile } from '../../shared/ingest/ready-file.ts';

const SHA = 'a'.repeat(64);
const file = (name: unknown, more: object = {}) => ({ name, bytes: 1, sha256: SHA, ...more });

describe('_READY', () => {
  test('names files, and may bear an id', () => {
    const files = [file('accounts.csv'), file('facts/pla/delivery-2026-03.parquet'), file('notes of März.txt')];
    expect(parseReadyFile(JSON.stringify({ id: 'x', files }))).toEqual({ ready: { id: 'x', files } });
    expect(parseReadyFile(JSON.stringify({ files }))).toEqual({ ready: { files } });
  });

  test('counts characters as code points: one beyond the basic plane is one, not two', () => {
    const longest = { id: '😀'.repeat(100), files: [file('\u{1D4B3}'.repeat(800))] };
    expect(parseReadyFile(JSON.stringify(longest))).toEqual({ ready: longest });
    const tooLong = { id: '😀'.repeat(101), files: [file('\u{1D4B3}'.repeat(801))] };
    expect(parseReadyFile(JSON.stringify(tooLong))).toEqual({
      problems: [
        { file: '_READY', line: null, field: 'id', reason: 'may have 100 characters' },
        { file: '_READY', line: null, field: 'files[0].name', reason: 'may have 800 characters' },
      ],
    });
  });

  test.each<[string, unknown, string | null, string]>([
    ['a list', [], null, 'must be an object with files and, where you like, id'],
    ['no files', {}, 'files', 'must be a list'],
    ['an empty list', { files: [] }, 'files', 'must name at least one file'],
    [
      'another member',
      { files: [file('a.csv')], file: 1 },
      null,
      'must be an object with files and, where you like, id and not file',
    ],
    ['an id that is none', { id: 1, files: [file('a.csv')] }, 'id', 'must be text'],
    ['a name that is no text', { files: [file(1)] }, 'files[0].name', 'must be text'],
    [
      'a way out of the folder',
      { files: [file('../a.csv')] },
      'files[0].name',
      'must be a path below the folder, with /',
    ],
    [
      'a way out within',
      { files: [file('facts/../../a.csv')] },
      'files[0].name',
      'must be a path below the folder, with /',
    ],
    ['an absolute path', { files: [file('/a.csv')] }, 'files[0].name', 'must be a path below the folder, with /'],
    ['a folder', { files: [file('facts/')] }, 'files[0].name', 'must be a path below the folder, with /'],
    ['itself', { files: [file('_READY')] }, 'files[0].name', 'must be a path below the folder, with /'],
    ['a backslash', { files: [file('facts\\a.csv')] }, 'files[0].name', 'must be a path below the folder, with /'],
    ['half a byte', { files: [file('a.csv', { bytes: 0.5 })] }, 'files[0].bytes', 'must be a whole number'],
    ['a negative size', { files: [file('a.csv', { bytes: -1 })] }, 'files[0].bytes', 'must be a whole number'],
    [
      'a short SHA-256',
      { files: [file('a.csv', { sha256: 'ab' })] },
      'files[0].sha256',
      'must be 64 hexadecimal digits',
    ],
    [
      'a further member',
      { files: [file('a.csv', { md5: 'x' })] },
      'files[0]',
      'must be an object with name, bytes and sha256 and not md5',
    ],
    ['a file twice', { files: [file('a.csv'), file('a.csv')] }, 'files[1].name', 'a.csv is named twice'],
  ])('with %s is refused, saying where', (_, content, field, reason) => {
    expect(parseReadyFile(JSON.stringify(content))).toEqual({
      problems: [{ file: '_READY', line: null, field, reason }],
    });
  });

  test('that is no JSON is refused', () => {
    expect(parseReadyFile('{')).toEqual({
      problems: [{ file: '_READY', line: null, field: null, reason: 'is not well-formed JSON' }],
    });
  });

  test('tells all that is wrong at once', () => {
    const answer = parseReadyFile(JSON.stringify({ files: [file('a.csv', { bytes: -1, sha256: '' }), file('')] }));
    expect('problems' in answer && answer.problems.map((it) => it.field)).toEqual([
      'files[0].bytes',
      'files[0].sha256',
      'files[1].name',
    ]);
  });
});

describe('the event', () => {
  const created = (key: string) => ({
    source: 'aws.s3',
    'detail-type': 'Object Created',
    detail: {
      version: '0',
      bucket: { name: 'b' },
      object: { key, size: 5, etag: 'e', sequencer: '00A' },
      reason: 'PutObject',
    },
  });

  test.each([
    ['_READY', ''],
    ['2026-03/_READY', '2026-03/'],
    ['a/b c/_READY', 'a/b c/'],
  ])('of %s is about the folder "%s"', (key, prefix) => {
    expect(parseReadyEvent(created(key))).toEqual({ prefix, arrival: { etag: 'e', sequencer: '00A' } });
  });

  test.each(['a/NOT_READY', 'a/_READY.json', 'a/_REPORT.json'])('of %s is refused', (key) => {
    expect(() => parseReadyEvent(created(key))).toThrow(`${key} is not the _READY of a folder`);
  });

  test('that is another one is refused', () => {
    expect(() => parseReadyEvent({ Records: [] })).toThrow();
  });
});
