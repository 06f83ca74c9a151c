import * as z from 'zod';
import { ROUTES } from '../../config/routes.ts';
import { INGESTION_MB } from '../../config/service.ts';
import type { Usage } from './price-usage.ts';

const RequestLine = z.object({
  message: z.enum(['request', 'ingestion']),
  route: z.string().optional(),
  latencyMs: z.number(),
  readUnits: z.number(),
  writeUnits: z.number(),
});
type RequestLine = z.output<typeof RequestLine>;

const MEMORY_MB = new Map(ROUTES.map(({ method, path, memory }) => [`${method} ${path}`, memory]));

/** @returns the lines of requests and loads among the messages of logs */
export function parseLines(logs: ReadonlyMap<string, readonly string[]>): RequestLine[] {
  return [...logs.values()].flat().flatMap((message) => {
    if (!/"message":"(request|ingestion)"/.test(message)) return [];
    return [RequestLine.parse(JSON.parse(message.slice(message.indexOf('{'))))];
  });
}

/** @returns what the requests and loads have used, without Lambda's time for starting instances */
export function usageOf(logs: ReadonlyMap<string, readonly string[]>): Omit<Usage, 'hours'> {
  const lines = parseLines(logs);
  const sum = (of: (line: RequestLine) => number) => lines.reduce((total, line) => total + of(line), 0);
  return {
    requests: lines.length,
    gbSeconds: sum(({ route = '', latencyMs }) => ((latencyMs / 1000) * (MEMORY_MB.get(route) ?? INGESTION_MB)) / 1024),
    readUnits: sum(({ readUnits }) => readUnits),
    writeUnits: sum(({ writeUnits }) => writeUnits),
    signatures: sum(({ route }) => (route === 'GET /jwt' ? 1 : 0)),
    logBytes: [...logs.values()].flat().reduce((bytes, { length }) => bytes + length, 0),
  };
}

/** @returns a table of the first time, and median and 99th percentile of the others, by route in ms: from outside, and of the function as it logs them */
export function timesTable(outside: ReadonlyMap<string, readonly number[]>, lines: readonly RequestLine[]): string[][] {
  const rows = [...outside].map(([route, times]) => {
    const logged = lines.filter((line) => line.route === route).map(({ latencyMs }) => latencyMs);
    return [route, ...summarize(times), ...summarize(logged)];
  });
  return [['Route', 'first', 'p50', 'p99', 'function: first', 'p50', 'p99'], ...rows];
}

function summarize([first, ...others]: readonly number[]): string[] {
  const sorted = others.toSorted((a, b) => a - b);
  const figures = [first, ...[0.5, 0.99].map((part) => sorted[Math.ceil(part * sorted.length) - 1])];
  return figures.map((ms) => (ms === undefined ? '–' : String(Math.round(ms))));
}
