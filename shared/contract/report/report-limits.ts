/** Days of a report, first and last included. */
export const MAX_REPORT_DAYS = 732;
/** Rows of a page in JSON. */
export const MAX_PAGE_SIZE = 10_000;
