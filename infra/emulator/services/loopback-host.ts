import type { IncomingMessage } from 'node:http';

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i;

/**
 * @param host the value of the header Host
 * @returns whether it names the loopback interface. A page of any site can make its own host name resolve to the loopback address (DNS rebinding), but its
 * requests still carry that name.
 */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host);
}

/** @returns false for requests that a page in a browser may have sent: the emulated services are called by programs only, and do not check signatures */
export function isFromProgram({ method, headers: { host = '', origin } }: IncomingMessage): boolean {
  return origin === undefined && method !== 'OPTIONS' && isLoopbackHost(host);
}
