/** Milliseconds since 1970 UTC. Passed to whatever compares times, so that tests can move it. */
export type Clock = () => number;

export const systemClock: Clock = Date.now;
