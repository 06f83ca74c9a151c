/** @returns milliseconds since 1970 UTC. A clock is passed as an argument, so that tests can control it. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
