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

/** @returns false for requests with an Origin, preflights, and requests to other hosts: pages in a browser may have sent them. Signatures are not checked. */
export function isFromProgram({ method, headers: { host = '', origin } }: IncomingMessage): boolean {
  return origin === undefined && method !== 'OPTIONS' && isLoopbackHost(host);
}
