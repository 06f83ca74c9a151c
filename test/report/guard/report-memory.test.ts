import { describe, expect, it, vi } from 'vitest';
import { ReportMemory } from '../../../shared/report/guard/report-memory.ts';
import { dataset } from '../../support/facts.ts';
import { adGroup, campaign, TEN_PER_DAY } from '../figures/budgets.ts';
import { run } from '../figures/run.ts';

describe('the memory of a report', () => {
  it('is limited, and what was freed can be used again', () => {
    const memory = new ReportMemory();
    memory.hold(600_000_000);
    memory.hold(500_000_000);
    memory.hold(-1);
    memory.hold(1);
    expect(() => memory.hold(1)).toThrow('It takes more than 1,100 MB of memory, which is the limit.');
  });

  it('is shared by groups and by the cells of share_of_voice', () => {
    const memory = new ReportMemory();
    memory.hold(800_000_000);
    memory.holdCells(1_000_000, 10_000_000, 0); // cells, rows and texts
    memory.holdCells(1_000_000, 13_750_000, 0); // 80 bytes per cell and 16 per row: 300 MB
    expect(() => memory.holdCells(1_000_000, 13_750_000, 1)).toThrow('takes more than 1,100 MB of memory');
    expect(() => new ReportMemory().holdCells(3_000_001, 10_000_000, 0)).toThrow('share_of_voice would compare');
  });

  /** 3.6 million groups with a budget took 900 MB that were not counted. */
  it('counts the planned cost of each group, and the rows and texts of the joined tables', async () => {
    const days = Array.from({ length: 28 }, (_, day) => `2025-02-${String(day + 1).padStart(2, '0')}`);
    const ids = Array.from({ length: 100 }, (_, index) => index + 1);
    const data = dataset({
      campaigns: [campaign({ startDate: '2025-02-01' })],
      ad_groups: ids.map((id) => ({ ...adGroup(id, TEN_PER_DAY), name: String(id).padStart(500, 'x') })),
      delivery: days.flatMap((date) => ids.map((id) => ({ date, ad_group_id: id, cost: 1 }))),
    });
    const hold = vi.spyOn(ReportMemory.prototype, 'hold');
    const heldBy = async (metric: 'cost' | 'pacing', dimension: 'ad_group_id' | 'ad_group_name') => {
      hold.mockClear();
      const { totalCount } = await run(data, {
        startDate: '2025-02-01',
        endDate: '2025-02-28',
        metrics: [metric],
        dimensions: ['daily_date', dimension],
      });
      expect(totalCount).toBe(2800);
      return hold.mock.calls.reduce((sum, [bytes]) => sum + bytes, 0);
    };
    const [cost, pacing, named] = [
      await heldBy('cost', 'ad_group_id'),
      await heldBy('pacing', 'ad_group_id'),
      await heldBy('cost', 'ad_group_name'),
    ];
    expect(pacing - cost).toBeGreaterThan(2800 * 245); // nearly the 250 bytes of a planned cost
    expect(named - cost).toBeGreaterThan(100 * 500);
    hold.mockRestore();
  });

  /** Keywords of 1,000 characters counted as 100 bytes each: a report of 2 MB of columns ended the function. */
  it('counts the texts of keys, and the memory that is needed while they are decoded', async () => {
    const heldWith = (length: number) => {
      const keywords = Array.from({ length: 200 }, (_, i) => String(i).padStart(length, 'x'));
      const delivery = keywords.map((keyword) => ({ date: '2025-03-04', ad_group_id: 1, keyword, clicks: 1 }));
      return heldBytes(dataset({ delivery }), { metrics: ['clicks'], dimensions: ['keyword'] });
    };
    const [short, long] = [await heldWith(3), await heldWith(1_000)];
    const texts = 200 * 2 * 997;
    expect(Math.abs(long.atEnd - short.atEnd - texts)).toBeLessThan(texts / 100); // the rest is the difference of the compressed columns
    expect(long.peak - long.atEnd).toBeGreaterThan(200 * 997);
  });

  /** Eleven measures of 4,900,000 rows whose values repeat are 0.5 MB stored, and took 1.4 GB that were not counted. */
  it('counts decoded measures, however small they are when stored, and both parts of values whose sums need two', async () => {
    const ids = Array.from({ length: 1_000 }, (_, i) => i + 1);
    const peakWith = async (first: number) => {
      const delivery = ids.map((id) => ({
        date: '2025-03-04',
        hour: id % 24,
        ad_group_id: id,
        impressions: first + (id % 300),
      }));
      return (await heldBytes(dataset({ delivery }), { metrics: ['impressions'], dimensions: ['hour'] })).peak;
    };
    const [none, wide, split] = [await peakWith(0), await peakWith(2 ** 40), await peakWith(2 ** 50)];
    expect(wide - none).toBeGreaterThan(ids.length * 4);
    expect(split - wide).toBeGreaterThan(ids.length * 2 * 8 * 0.9);
  });

  /** 60,000 keywords of 1,000 characters a day made slices of share_of_voice of 1.7 GB. */
  it('counts the texts of slices', async () => {
    const peakWith = async (length: number) => {
      const keywords = Array.from({ length: 200 }, (_, i) => String(i).padStart(length, 'x'));
      const delivery = keywords.map((keyword) => ({ date: '2025-03-04', keyword, placement_id: 1, impressions: 1 }));
      return (await heldBytes(dataset({ delivery }), { metrics: ['share_of_voice'], dimensions: [] })).peak;
    };
    expect((await peakWith(1_000)) - (await peakWith(3))).toBeGreaterThan(200 * 2 * 997);
  });
});

/** @returns how many bytes the report held at its end, and at most */
async function heldBytes(...[data, query]: Parameters<typeof run>): Promise<{ atEnd: number; peak: number }> {
  const hold = vi.spyOn(ReportMemory.prototype, 'hold');
  await run(data, query);
  let [atEnd, peak] = [0, 0];
  for (const [bytes] of hold.mock.calls) {
    atEnd += bytes;
    peak = Math.max(peak, atEnd);
  }
  hold.mockRestore();
  return { atEnd, peak };
}
