import { hashUser } from '../../columns/hash-user.ts';
import { invalidMember, isAbsent, listMembers, parseText } from '../schema/parse-value.ts';
import { ID_TEXT, list, mismatch } from '../schema/value-types.ts';
import type { OnInvalid } from './code-column.ts';

const USER_IDS = list(ID_TEXT);

/** The hashed users of a batch's rows; row r has `hashes[offsets[r]…offsets[r+1])`, in any order, maybe twice. */
export interface UserHashes {
  readonly offsets: Uint32Array<ArrayBuffer>;
  readonly hashes: Float64Array<ArrayBuffer>;
}

/** @returns the hashes of the users of `rows` rows */
export function hashUsers(
  values: ArrayLike<unknown>,
  rows: number,
  splitLists: boolean,
  onInvalid: OnInvalid,
): UserHashes {
  const offsets = new Uint32Array(rows + 1);
  const hashes: number[] = [];
  if (values.length === 0) return { offsets, hashes: new Float64Array(0) }; // the file lacks the column
  for (let row = 0; row < rows; row++) {
    const reason = hashMembers(values[row], splitLists, hashes);
    if (reason !== undefined) onInvalid(row, reason);
    offsets[row + 1] = hashes.length;
  }
  return { offsets, hashes: Float64Array.from(hashes) };
}

/** Adds the hash of each member. @returns what is wrong with the list */
function hashMembers(raw: unknown, splitLists: boolean, hashes: number[]): string | undefined {
  if (isAbsent(raw)) return undefined;
  const members = listMembers(raw, splitLists);
  if (members === undefined) return mismatch(raw, USER_IDS).reason;
  for (const member of members) {
    const id = parseUserId(member);
    if (id === undefined || id === '') return invalidMember(member, ID_TEXT).reason;
    hashes.push(hashUser(id));
  }
  return undefined;
}

/** A user id that is an integer in the file is the text of its digits, as in CSV. */
function parseUserId(raw: unknown): string | undefined {
  if (typeof raw === 'bigint' || Number.isSafeInteger(raw)) return String(raw);
  return parseText(raw, ID_TEXT);
}
