import { userInfo } from 'node:os';

/** @returns the user of this machine as the actor of entries of the audit */
export function localUser(): string {
  return `local user ${userInfo().username}`;
}
