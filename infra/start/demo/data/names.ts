import names from './names.json' with { type: 'json' };

/**
 * Words that the people, places and campaigns of the demo are named after. No combination refers to a real person. The cities are invented, with their state and
 * the first three digits of their postal code; there is one season, a campaign theme, per month, January first.
 */
export const NAMES = names;
