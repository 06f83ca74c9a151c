/** A bundle without a handler. */
export const nothing = undefined;
