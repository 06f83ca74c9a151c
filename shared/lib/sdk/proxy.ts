/**
 * Options of the SDK's request handler: HTTPS goes through the proxy of HTTPS_PROXY, unless NO_PROXY excludes the host. HTTP does not: it is for the emulators
 * on this machine.
 */
export const THROUGH_PROXY = { httpsAgent: { proxyEnv: process.env } };
