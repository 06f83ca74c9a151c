/** @returns milliseconds since 1970 UTC. Code that compares times takes a clock as an argument, so that tests can control it. */
export type Clock = () => number;

export const systemClock: Clock = Date.now;
