/**
 * What the facts of a folder replace: the days of their advertisers, these days of all advertisers, or the hours of their advertisers.
 */
export const REPLACE_MODES = ['advertiser-days', 'days', 'hours'] as const;
export type ReplaceMode = (typeof REPLACE_MODES)[number];
