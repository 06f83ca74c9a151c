import type { Random } from '../../oracle/random/random.ts';
import { gzipMember, type MemberOptions } from './gzip-members.ts';
import type { Mutant } from './mutate-file.ts';

const EMPTY = Buffer.alloc(0);
const NAMES = ['', 'delivery.csv', '../../etc/passwd', 'é', 'x'.repeat(70_000)];

/** @returns the content as gzip of another structure, right or wrong, with the outcome that this must have */
export function mutateGzip(random: Random, content: Buffer): Mutant {
  const loaded = (...parts: readonly Buffer[]): Mutant => ({ bytes: Buffer.concat(parts), outcome: 'loaded' });
  const rejected = (...parts: readonly Buffer[]): Mutant => ({ bytes: Buffer.concat(parts), outcome: 'rejected' });
  const fields = randomFields(random);
  const wrong = (options: MemberOptions) => rejected(gzipMember(content, { ...fields, ...options }));
  const whole = gzipMember(content, fields);
  const middle = random.int(content.length + 1);
  const [first, second] = [gzipMember(content.subarray(0, middle), fields), gzipMember(content.subarray(middle))];
  switch (random.int(15)) {
    case 0:
    case 1:
      return loaded(whole);
    case 2:
      return wrong({ hasHeaderCrc: true, headerCrcError: 1 << random.int(16) });
    case 3: {
      // directly before the compressed bytes: a name or comment would only be shorter or longer
      const options = { extra: randomBytes(random, 20), extraLengthError: random.pick([-7, -1, 1, 300, 60_000]) };
      return rejected(gzipMember(content, options));
    }
    case 4:
      return wrong({ moreFlags: random.pick([0x20, 0x40, 0x80]) });
    case 5:
      return wrong({ method: random.pick([0, 7, 9, 255]) });
    case 6:
      return wrong({ crcError: 2 ** random.int(32) });
    case 7:
      return wrong({ sizeError: 2 ** random.int(32) });
    case 8:
    case 9:
      return loaded(first, second);
    case 10: {
      const parts = [first, second];
      return loaded(...parts.toSpliced(random.int(3), 0, gzipMember(EMPTY, randomFields(random))));
    }
    case 11: // within the second member, at least one byte of which is left
      return rejected(first, second.subarray(0, 1 + random.int(second.length - 1)));
    case 12: // the first member has the trailer of the second
      return middle === 0 || middle === content.length
        ? loaded(first, second)
        : rejected(first.subarray(0, -8), second.subarray(-8), second);
    case 13:
      return rejected(
        whole,
        Buffer.alloc(random.pick([0, 0, 1, 600])),
        Buffer.from([0x1f + random.int(200)]),
        randomBytes(random, 40),
      );
    default:
      return rejected(whole, Buffer.alloc(1 + random.int(600)));
  }
}

function randomFields(random: Random): MemberOptions {
  return {
    ...{ isText: random.chance(0.3), hasHeaderCrc: random.chance(0.4) },
    ...(random.chance(0.4) ? { extra: randomBytes(random, random.pick([0, 5, 65_535])) } : {}),
    ...(random.chance(0.4) ? { name: random.pick(NAMES) } : {}),
    ...(random.chance(0.3) ? { comment: random.pick(NAMES) } : {}),
    ...{ mtime: random.pick([0, 1, 2 ** 32 - 1]), system: random.pick([0, 3, 11, 255]) },
  };
}

function randomBytes(random: Random, count: number): Buffer {
  return Buffer.from(Array.from({ length: count }, () => random.int(256)));
}
