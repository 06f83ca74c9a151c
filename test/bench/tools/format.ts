/** @returns the number with separators between thousands and at most one decimal */
export function formatNumber(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 1 });
}

/** @returns e.g. `0.25 M` */
export function formatMillions(value: number): string {
  return `${(value / 1e6).toLocaleString('en-US', { maximumFractionDigits: 2 })} M`;
}

/** @returns the milliseconds as seconds, e.g. `0.25 s` */
export function formatSeconds(ms: number, decimals = 2): string {
  return `${(ms / 1000).toFixed(decimals)} s`;
}
