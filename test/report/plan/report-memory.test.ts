import { describe, expect, it } from 'vitest';
import { ReportMemory } from '../../../shared/report/plan/report-memory.ts';

const query = { metrics: ['impressions'] } as const;

describe('the memory of a report', () => {
  it('is limited, and what was freed can be used again', () => {
    const memory = new ReportMemory(query);
    memory.hold(600_000_000);
    memory.hold(500_000_000);
    memory.hold(-1);
    memory.hold(1);
    expect(() => memory.hold(1)).toThrow(
      'Its rows, with 1 metric and their unique users, take more than 1100 MB of memory, which is the limit.',
    );
  });

  it('is shared by groups and by the cells of share_of_voice, which once had a limit each', () => {
    const memory = new ReportMemory(query);
    memory.hold(800_000_000);
    memory.holdCells(1_000_000, 10_000_000);
    memory.holdCells(1_000_000, 13_750_000);
    expect(() => memory.holdCells(1_000_000, 13_750_001)).toThrow('take more than 1100 MB of memory');
    expect(() => new ReportMemory(query).holdCells(3_000_001, 10_000_000)).toThrow('share_of_voice would compare');
  });
});
