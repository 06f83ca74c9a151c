import type { Random } from './random.ts';

/** The video measures of a delivery row, absent where no video was shown; the duration is in seconds. */
export interface VideoViews {
  video_starts?: number;
  video_pauses?: number;
  video_first_quartile_views?: number;
  video_second_quartile_views?: number;
  video_third_quartile_views?: number;
  video_completes?: number;
  video_total_duration?: number;
}

/** Simulates how the viewers of `impressions` watch a video of `seconds`, and adds the result to the row. */
export function addVideoViews(row: VideoViews, impressions: number, seconds: number, random: Random): void {
  const starts = Math.min(impressions, random.count(Math.min(40, impressions * 0.55)));
  const quartiles = [0, 0, 0, 0];
  let milliseconds = 0;
  for (let start = 0; start < starts; start++) {
    // Short videos are watched to the end more often.
    const watched = random.chance(1.9 / (seconds ** 0.5 + 1)) ? 1 : random.next() ** 1.3;
    milliseconds += Math.round(watched * seconds * 1000);
    for (let quartile = 1; quartile <= 4; quartile++) {
      if (watched >= quartile / 4) quartiles[quartile - 1] = (quartiles[quartile - 1] ?? 0) + 1;
    }
  }
  const [first = 0, second = 0, third = 0, complete = 0] = quartiles;
  row.video_starts = (row.video_starts ?? 0) + starts;
  row.video_pauses = (row.video_pauses ?? 0) + random.count(starts * 0.09);
  row.video_first_quartile_views = (row.video_first_quartile_views ?? 0) + first;
  row.video_second_quartile_views = (row.video_second_quartile_views ?? 0) + second;
  row.video_third_quartile_views = (row.video_third_quartile_views ?? 0) + third;
  row.video_completes = (row.video_completes ?? 0) + complete;
  row.video_total_duration = (Math.round((row.video_total_duration ?? 0) * 1000) + milliseconds) / 1000;
}
