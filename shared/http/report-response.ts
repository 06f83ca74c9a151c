import type { ReportResultResponse } from '../contract/report/report-response.ts';
import type { Deadline } from '../lib/deadline.ts';
import { ApiError } from '../lib/errors.ts';
import { toArrow } from './format/arrow.ts';
import { acceptedCoding, type ContentCoding, encode, type ReadHeader } from './format/content-coding.ts';
import { toCsv } from './format/csv.ts';
import { reportHeaders } from './format/file-headers.ts';
import { contentTypeOf, MEDIA_TYPES, type Representation } from './format/negotiate.ts';
import { MAX_RESPONSE_BYTES, sizeInResponse } from './format/response-size.ts';
import type { HandlerResult } from './json-response.ts';

/**
 * Maximum UTF-16 code units of the texts in a page. Texts repeat in every row, and a page that is sent compressed is written whole before: without this limit,
 * 10,000 rows with long texts took more than the function's memory.
 */
export const MAX_TEXT_UNITS = 100_000_000;

/** The request id differs between two requests for the same page, and changes the size of a compressed page by a few bytes. */
const ID_BYTES = 64;

/** What of the request decides how the report is written. */
export interface ReportTarget {
  readonly representation: Representation;
  readonly headerOf: ReadHeader;
  readonly deadline: Deadline;
}

type Body = string | Buffer;

/**
 * Writing 100,000 rows of 91 fields takes 1 s, and compressing them takes longer. So a sample of a page that exceeds one of these is written first: a page
 * that is far too large is rejected without being written, and the size that fits is found to within 2 % only.
 */
const SAMPLED_ROWS = 10_000;
const SAMPLED_VALUES = 200_000;
/** The sample has 4 parts of 500 rows, but at most a twentieth of the rows of the page. */
const SAMPLE_PARTS = 4;
const SAMPLE_PART_ROWS = 500;
const SAMPLED_SHARE = 1 / 80;
/** A page whose estimate exceeds the limit by this factor is searched first: a sample compresses worse than the page, so the page may fit all the same. */
const FAR_TOO_LARGE = 1.5;
/** Shares of the limit: in a large page, the search aims at the first and ends when it has reached the second. */
const AIM = 0.99;
const CLOSE_ENOUGH = 0.98;
/** Steps of the search in a large page before it alternates with bisection; more are rarely necessary. */
const INTERPOLATIONS = 4;

const VARY = { Vary: 'Accept, Accept-Encoding' };

/**
 * @returns the report as JSON, CSV or Arrow, compressed if it exceeds MAX_RESPONSE_BYTES and the client accepts that
 * @throws ApiError PAGE_TOO_LARGE if it exceeds MAX_RESPONSE_BYTES all the same, or MAX_TEXT_UNITS; it states the largest page size that fits from this offset on, to within
 * 2 % for a page of more than 10,000 rows or 200,000 values
 */
export async function reportResponse(report: ReportResultResponse, target: ReportTarget): Promise<HandlerResult> {
  const { representation, headerOf } = target;
  const contentType = contentTypeOf(representation);
  const headers = representation.format === 'json' ? {} : reportHeaders(report);
  const coding = acceptedCoding(headerOf);
  const rows = Math.max(1, countRowsWithinTextLimit(report, target.deadline));
  if (rows < report.data.length)
    throw pageTooLarge(rows, `This page would have more than ${MAX_TEXT_UNITS} characters of text. From`);
  const expected = await estimateBytes(report, target, coding);
  if (expected > MAX_RESPONSE_BYTES * FAR_TOO_LARGE) {
    const size = await largestSize(report, target, coding, { bytes: expected, isEstimate: true });
    if (size < report.data.length) throw tooManyBytes(target, size, `about ${expected}`, coding);
  }
  const body = write(report, target);
  const bytes = sizeInResponse(body);
  if (bytes <= MAX_RESPONSE_BYTES) return { body, contentType, headers };
  if (coding === undefined) throw await toPageTooLarge(report, target, bytes, undefined);
  const encoded = await encode(coding, body);
  const encodedBytes = sizeInResponse(encoded);
  if (encodedBytes > MAX_RESPONSE_BYTES) throw await toPageTooLarge(report, target, encodedBytes, coding);
  return { body: encoded, contentType, headers: { ...headers, ...VARY, 'Content-Encoding': coding } };
}

function write(report: ReportResultResponse, { representation, deadline }: ReportTarget): Body {
  switch (representation.format) {
    case 'json':
      return toJson(report);
    case 'csv':
      return toCsv(report.headers, report.data, representation, deadline);
    case 'arrow':
      return toArrow(report, deadline);
  }
}

function toJson(report: ReportResultResponse): string {
  try {
    return JSON.stringify(report);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // control characters take six characters each
    const rows = Math.max(1, report.data.length >> 1);
    throw pageTooLarge(rows, 'This page would be longer than a text can be. From');
  }
}

/** @returns how many of the first rows have at most MAX_TEXT_UNITS in their texts */
function countRowsWithinTextLimit({ headers, data }: ReportResultResponse, deadline: Deadline): number {
  const names = headers.filter(({ type }) => type === 'text').map(({ name }) => name);
  let units = 0;
  for (const [index, row] of data.entries()) {
    deadline.spend(names.length / 100);
    for (const name of names) {
      const value = row[name];
      if (typeof value === 'string') units += value.length;
    }
    if (units > MAX_TEXT_UNITS) return index;
  }
  return data.length;
}

function isLarge({ headers, data }: ReportResultResponse): boolean {
  return data.length > SAMPLED_ROWS || data.length * headers.length > SAMPLED_VALUES;
}

/** @returns the size of a large page as sent, from a sample of its rows; 0 if it is not large */
async function estimateBytes(
  report: ReportResultResponse,
  target: ReportTarget,
  coding: ContentCoding | undefined,
): Promise<number> {
  if (!isLarge(report)) return 0;
  const { data } = report;
  const rows = Math.min(SAMPLE_PART_ROWS, Math.ceil(data.length * SAMPLED_SHARE));
  const distance = Math.floor((data.length - rows) / (SAMPLE_PARTS - 1));
  const parts = Array.from({ length: SAMPLE_PARTS }, (_, part) => data.slice(part * distance, part * distance + rows));
  const sample = parts.flat();
  const bytes = await writtenSize({ ...report, data: sample }, target, coding);
  return Math.round((bytes / sample.length) * data.length);
}

async function writtenSize(
  report: ReportResultResponse,
  target: ReportTarget,
  coding: ContentCoding | undefined,
): Promise<number> {
  const body = write(report, target);
  return coding === undefined ? sizeInResponse(body) : sizeInResponse(await encode(coding, body)) + ID_BYTES;
}

async function toPageTooLarge(
  report: ReportResultResponse,
  target: ReportTarget,
  bytes: number,
  coding: ContentCoding | undefined,
): Promise<ApiError> {
  const size = await largestSize(report, target, coding, { bytes, isEstimate: false });
  return tooManyBytes(target, size, String(bytes), coding);
}

function tooManyBytes(target: ReportTarget, size: number, bytes: string, coding: ContentCoding | undefined): ApiError {
  const kind = coding === undefined ? '' : ', compressed';
  const compress =
    coding === undefined
      ? `To get it compressed, send the headers Accept: ${MEDIA_TYPES[target.representation.format]} and Accept-Encoding: gzip. Otherwise, from`
      : 'From';
  return pageTooLarge(
    size,
    `This page would have ${bytes} bytes${kind}; the maximum is ${MAX_RESPONSE_BYTES}. ${compress}`,
  );
}

/** @param reason followed by "this offset on, …" */
function pageTooLarge(size: number, reason: string): ApiError {
  return new ApiError('PAGE_TOO_LARGE', `${reason} this offset on, request a size of ${size} or less.`, {
    fields: [
      { in: 'body', pointer: '/pagination/size', code: 'PAGE_TOO_LARGE', detail: `Must be ${size} or less here.` },
    ],
    headers: VARY,
  });
}

/**
 * Searches by interpolation, because the bytes of a page are nearly proportional to its rows, alternating with bisection, which bounds the number of steps.
 * @param page.bytes the bytes of all rows: above the limit, unless they are an estimate
 * @returns the largest number of rows that fits, but at least 1, because 1 is the smallest page size. Of a large page, one that leaves at most 2 % of the bytes
 */
async function largestSize(
  report: ReportResultResponse,
  target: ReportTarget,
  coding: ContentCoding | undefined,
  { bytes: totalBytes, isEstimate }: { readonly bytes: number; readonly isEstimate: boolean },
): Promise<number> {
  const { data } = report;
  const isSampled = isLarge(report);
  const aim = MAX_RESPONSE_BYTES * (isSampled ? AIM : 1);
  let fits = { rows: 0, bytes: 0 };
  let exceeds = { rows: data.length + (isEstimate ? 1 : 0), bytes: totalBytes };
  for (let step = 0; exceeds.rows - fits.rows > 1; step++) {
    if (isSampled && fits.bytes >= MAX_RESPONSE_BYTES * CLOSE_ENOUGH) break;
    const share =
      step % 2 === 0 || (isSampled && step < INTERPOLATIONS) ? (aim - fits.bytes) / (exceeds.bytes - fits.bytes) : 0.5;
    const isGuess = isEstimate && exceeds.rows > data.length && fits.rows > 0;
    const guess = isGuess ? (fits.rows / fits.bytes) * aim : fits.rows + (exceeds.rows - fits.rows) * share;
    const rows = Math.min(Math.max(Math.floor(guess), fits.rows + 1), exceeds.rows - 1);
    const bytes = await writtenSize({ ...report, data: data.slice(0, rows) }, target, coding);
    if (bytes <= MAX_RESPONSE_BYTES) fits = { rows, bytes };
    else exceeds = { rows, bytes };
  }
  return Math.max(1, fits.rows);
}
