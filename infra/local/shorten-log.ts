import * as z from 'zod';

/** What a short line shows of the line of a request (`logRequest`). */
const RequestLine = z.object({
  timestamp: z.string(),
  message: z.literal('request'),
  route: z.string(),
  status: z.int(),
  code: z.string().optional(),
  latencyMs: z.number(),
  readUnits: z.number(),
  userId: z.string().optional(),
});

/**
 * @returns log lines for a terminal: a line per request such as `14:03:12 200 GET /metadata/accounts demo-agency 12 ms 2.5 read units`, in UTC; others as they are
 * @param text whole lines
 */
export function shortenLog(text: string): string {
  return text.replaceAll(/^\{.*\}$/gm, shortenLine);
}

function shortenLine(line: string): string {
  const { success, data } = RequestLine.safeParse(parseJson(line));
  if (!success) return line;
  const { timestamp, status, code = '', route, userId = '', latencyMs, readUnits } = data;
  const words = [timestamp.slice(11, 19), status, code, route, userId, `${Math.round(latencyMs)} ms`];
  return [...words, `${readUnits} read units`].filter((word) => word !== '').join(' ');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
