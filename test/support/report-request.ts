/** The body of a valid report request, for tests to change. */
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
