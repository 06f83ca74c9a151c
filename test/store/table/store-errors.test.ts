import { describe, expect, test } from 'vitest';
import { isStoreBusy, translateError } from '../../../shared/store/table/store-errors.ts';

const withCode = (code: string) => Object.assign(new Error(`connect ${code}`), { code });
const withName = (name: string) => Object.assign(new Error('rejected'), { name });

describe('an error that a later retry can resolve becomes STORE_BUSY', () => {
  test.each([
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENOTFOUND',
    'EAI_AGAIN',
  ])('the connection fails: %s', (code) => {
    const error = withCode(code);
    const translated = translateError(error);
    expect(isStoreBusy(translated)).toBe(true);
    expect(translated).toMatchObject({ status: 503, cause: error });
  });

  test.each(['ThrottlingException', 'InternalServerError', 'TimeoutError'])('DynamoDB is busy: %s', (name) => {
    expect(isStoreBusy(translateError(withName(name)))).toBe(true);
  });
});

test.each([withName('ValidationException'), withName('AccessDeniedException'), withCode('ENOENT'), 'a text'])(
  'any other error remains as it is: %s',
  (error) => {
    expect(translateError(error)).toBe(error);
  },
);
