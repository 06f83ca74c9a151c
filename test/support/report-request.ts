/** The body of a report request that nothing is wrong with, for tests to change. */
export const GOOD_REPORT = {
  filters: [],
  startDate: '2026-02-01',
  endDate: '2026-02-02',
  pagination: { offset: 0, size: 10 },
  advertiserIds: [],
  metrics: ['clicks'],
  dimensions: ['daily_date'],
  sort: [],
};
