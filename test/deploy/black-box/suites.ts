import { cachingRule } from './caching-rule.ts';
import { fileFormats } from './files.ts';
import { paging } from './paging.ts';
import { errors, keys, listings, reports } from './requests.ts';
import type { Suite } from './suite.ts';
import { tokens } from './tokens.ts';

/** The suites that run on any data, in their order: the last one changes the listing of contacts. */
export const SUITES: readonly Suite[] = [listings, paging, errors, keys, reports, fileFormats, tokens, cachingRule];
