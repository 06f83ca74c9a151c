import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shorten, synthesizeWith, withoutHash } from './support/synthesized.ts';

/** A value of a template by its path, such as `Replicas.0.Region`. */
type Leaf = readonly [path: string, value: unknown];

const leavesOf = (path: string, value: unknown): Leaf[] =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([name, member]) => leavesOf(`${path}.${name}`, member))
    : [[path, value]];

/** @returns the JSON's value, or the text if it is none */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * A case has its title after `==`, settings after `with`, and resources after `--`: type, id without its hash, and what happens when the stack is deleted,
 * unless it is deleted too. Below it are its properties: all, or some if the last line is `…`.
 */
const CASES = readFileSync(join(import.meta.dirname, 'resources.txt'), 'utf8')
  .split(/^== /m)
  .slice(1)
  .map((text) => {
    const [head = '', ...resources] = text.split(/^-- /m);
    const [title = '', settings = '{}'] = head.trimEnd().split('\nwith ');
    return [title, settings, resources.map((resource) => resource.trimEnd().split('\n'))] as const;
  });

test.each(CASES)('%s', (_, settings, resources) => {
  const found = Object.entries(synthesizeWith(JSON.parse(settings)).Resources);
  for (const [resource = '', ...lines] of resources) {
    const [type, id, policy = 'Delete'] = resource.split(' ');
    const [own, ...others] = found.filter(([key, { Type }]) => Type === type && withoutHash(key) === id);
    expect([own?.[1].DeletionPolicy ?? 'Delete', others]).toEqual([policy, []]);
    const actual = Object.fromEntries(
      Object.entries(own?.[1].Properties ?? {}).flatMap(([name, value]) => leavesOf(name, shorten(value))),
    );
    const isPart = lines.at(-1) === '…';
    const expected = Object.fromEntries(
      lines.slice(0, isPart ? -1 : undefined).flatMap((line) => {
        const [path = ''] = line.split(' ', 1);
        return leavesOf(path, parseValue(line.slice(path.length + 1)));
      }),
    );
    if (isPart) expect(actual).toMatchObject(expected);
    else expect(actual).toEqual(expected);
  }
});
