import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SHARED = join(import.meta.dirname, '../../../shared');
/** The files that build keys; `key-limiter.ts` appends `#FORBIDDEN` to the digest of usage keys. */
const KEY_FILES = ['store/table/item-keys.ts', 'identity/limits/key-limiter.ts'];

/** @returns the words in capital letters that keys are made of, from quoted texts such as `GARBAGE#<retention>` */
function wordsIn(texts: Iterable<RegExpExecArray>): string[] {
  const words = [...texts].flatMap(([, quoted = '']) => quoted.split('#')).filter((word) => /^[A-Z]{3,}$/.test(word));
  return [...new Set(words)].sort();
}

test('the README of the store has the capital words of all keys, and no others', () => {
  const code = KEY_FILES.map((file) => readFileSync(join(SHARED, file), 'utf8')).join('\n');
  const withoutComments = code.replaceAll(/^\s*(\/\*)?\*.*$/gm, '');
  const [, items = ''] = readFileSync(join(SHARED, 'store/README.md'), 'utf8').split(/^## (?:Items|A load)$/m);
  const built = wordsIn(withoutComments.matchAll(/['`]([^'`\n]*)['`]/g));
  expect(built.length).toBeGreaterThan(20);
  expect(wordsIn(items.matchAll(/`([^`\n]*)`/g))).toEqual(built);
});
