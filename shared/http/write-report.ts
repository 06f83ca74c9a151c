import type { ReportResultResponse } from '../contract/report/report-response.ts';
import type { Deadline } from '../lib/deadline.ts';
import { ApiError } from '../lib/errors.ts';
import { toArrow } from './format/arrow.ts';
import { acceptedCoding, type ContentCoding, encode, type ReadHeader } from './format/content-coding.ts';
import { toCsv } from './format/csv.ts';
import { reportHeaders } from './format/file-headers.ts';
import { MAX_RESPONSE_BYTES, sizeInResponse } from './format/response-size.ts';
import type { HandlerResult } from './message/json-response.ts';
import { contentTypeOf, MEDIA_TYPES, type Representation } from './message/negotiate.ts';

/**
 * Maximum UTF-16 code units of the texts in a page. Texts repeat in every row, and a page that is sent compressed is in memory whole before.
 */
export const MAX_TEXT_UNITS = 50_000_000;

/** Added to the size of a compressed page: the request id differs between two requests for the same page, and changes this size by a few bytes. */
const ID_BYTES = 64;

/** What of the request decides how the report is written. */
export interface ReportTarget {
  readonly representation: Representation;
  readonly headerOf: ReadHeader;
  readonly deadline: Deadline;
}

type Body = string | Buffer;

/**
 * A sample of a page that exceeds one of these is written first: a page that is far too large is rejected without being written whole, and the size that fits is found to within 2 % only.
 */
const SAMPLED_ROWS = 10_000;
const SAMPLED_VALUES = 200_000;
const SAMPLED_TEXT_UNITS = 5_000_000;
/**
 * Once the search for a size has written so many UTF-16 code units of text, it ends as soon as it has a size that fits.
 */
const MAX_SEARCHED_UNITS = 50_000_000;
/** The sample has 4 parts, each of 500 rows or, if that is fewer, an eightieth of the rows of the page. */
const SAMPLE_PARTS = 4;
const SAMPLE_PART_ROWS = 500;
const SAMPLE_PART_SHARE = 1 / 80;
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
 * @throws ApiError PAGE_TOO_LARGE if it exceeds MAX_TEXT_UNITS: it states the largest page size that does not, which may have too many bytes; or if it exceeds
 * MAX_RESPONSE_BYTES all the same: it states the largest page size that fits from this offset on, to within 2 % for a page of more than 10,000 rows, 200,000 values or
 * 5,000,000 code units of text; if it has tens of millions, the size may be smaller. DEADLINE_EXCEEDED
 */
export async function reportResponse(report: ReportResultResponse, target: ReportTarget): Promise<HandlerResult> {
  const { representation, headerOf } = target;
  const contentType = contentTypeOf(representation);
  const headers = representation.format === 'json' ? {} : reportHeaders(report);
  const coding = acceptedCoding(headerOf);
  const { units, rows } = countTextUnits(report);
  if (rows < report.data.length)
    throw pageTooLarge(Math.max(1, rows), `This page would have more than ${MAX_TEXT_UNITS} characters of text. From`);
  const page = { report, target, coding, units };
  const expected = await estimateBytes(page);
  if (expected > MAX_RESPONSE_BYTES * FAR_TOO_LARGE) {
    const size = await largestSize(page, { bytes: expected, isEstimate: true });
    if (size < report.data.length) throw tooManyBytes(target, size, `about ${expected}`, coding);
  }
  const body = write(report, target);
  const bytes = sizeInResponse(body);
  if (bytes <= MAX_RESPONSE_BYTES) return { body, contentType, headers };
  if (coding === undefined) throw await toPageTooLarge(page, bytes);
  const encoded = await encode(coding, body);
  const encodedBytes = sizeInResponse(encoded);
  if (encodedBytes > MAX_RESPONSE_BYTES) throw await toPageTooLarge(page, encodedBytes);
  return { body: encoded, contentType, headers: { ...headers, ...VARY, 'Content-Encoding': coding } };
}

function write(report: ReportResultResponse, { representation, deadline }: ReportTarget): Body {
  deadline.check();
  switch (representation.format) {
    case 'json':
      return JSON.stringify(report);
    case 'csv':
      return toCsv(report.headers, report.data, representation);
    case 'arrow':
      return toArrow(report);
  }
}

/** @returns the code units of the texts of the first `rows` rows, as many as have at most MAX_TEXT_UNITS */
function countTextUnits({ headers, data }: ReportResultResponse): { units: number; rows: number } {
  const names = headers.filter(({ type }) => type === 'text').map(({ name }) => name);
  let units = 0;
  for (const [index, row] of data.entries()) {
    let ofRow = 0;
    for (const name of names) {
      const value = row[name];
      if (typeof value === 'string') ofRow += value.length;
    }
    if (units + ofRow > MAX_TEXT_UNITS) return { units, rows: index };
    units += ofRow;
  }
  return { units, rows: data.length };
}

/** A page that is being written. */
interface Page {
  readonly report: ReportResultResponse;
  readonly target: ReportTarget;
  /** How it may be compressed. */
  readonly coding: ContentCoding | undefined;
  /** The UTF-16 code units of its texts. */
  readonly units: number;
}

function isLarge({ report: { headers, data }, units }: Page): boolean {
  return data.length > SAMPLED_ROWS || data.length * headers.length > SAMPLED_VALUES || units > SAMPLED_TEXT_UNITS;
}

/** @returns the size of a large page as sent, from a sample of its rows; 0 if it is not large */
async function estimateBytes(page: Page): Promise<number> {
  if (!isLarge(page)) return 0;
  const { data } = page.report;
  const rows = Math.min(SAMPLE_PART_ROWS, Math.ceil(data.length * SAMPLE_PART_SHARE));
  const distance = Math.floor((data.length - rows) / (SAMPLE_PARTS - 1));
  const parts = Array.from({ length: SAMPLE_PARTS }, (_, part) => data.slice(part * distance, part * distance + rows));
  const sample = parts.flat();
  const bytes = await writtenSize(page, sample);
  return Math.round((bytes / sample.length) * data.length);
}

/** @returns the size of these rows of the page as sent */
async function writtenSize({ report, target, coding }: Page, data: ReportResultResponse['data']): Promise<number> {
  const body = write({ ...report, data }, target);
  if (coding === undefined) return sizeInResponse(body);
  return sizeInResponse(await encode(coding, body)) + ID_BYTES;
}

async function toPageTooLarge(page: Page, bytes: number): Promise<ApiError> {
  const size = await largestSize(page, { bytes, isEstimate: false });
  return tooManyBytes(page.target, size, String(bytes), page.coding);
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
 * @param whole the bytes of all rows, which exceed the limit; if they are an estimate, all rows may fit
 * @returns the largest number of rows that fits, but at least 1, because 1 is the smallest page size. Of a large page, a number that leaves at most 2 % of the
 * bytes unused, or more once MAX_SEARCHED_UNITS are written
 */
async function largestSize(
  page: Page,
  whole: { readonly bytes: number; readonly isEstimate: boolean },
): Promise<number> {
  const { isEstimate } = whole;
  const { data } = page.report;
  const isSampled = isLarge(page);
  const aim = MAX_RESPONSE_BYTES * (isSampled ? AIM : 1);
  let fits = { rows: 0, bytes: 0 };
  let exceeds = { rows: data.length + (isEstimate ? 1 : 0), bytes: whole.bytes };
  let unitsLeft = MAX_SEARCHED_UNITS;
  for (let step = 0; exceeds.rows - fits.rows > 1; step++) {
    const closeEnough = unitsLeft > 0 ? MAX_RESPONSE_BYTES * CLOSE_ENOUGH : 1;
    if (isSampled && fits.bytes >= closeEnough) break;
    const interpolates = unitsLeft > 0 && (step % 2 === 0 || (isSampled && step < INTERPOLATIONS));
    const share = interpolates ? (aim - fits.bytes) / (exceeds.bytes - fits.bytes) : 0.5;
    // no size that exceeds the limit has been written: the estimate is less exact than the sizes that fit
    const extrapolates = isEstimate && exceeds.rows > data.length && fits.rows > 0;
    const guess = extrapolates ? (fits.rows / fits.bytes) * aim : fits.rows + (exceeds.rows - fits.rows) * share;
    const rows = Math.min(Math.max(Math.floor(guess), fits.rows + 1), exceeds.rows - 1);
    unitsLeft -= (page.units / data.length) * rows;
    const bytes = await writtenSize(page, data.slice(0, rows));
    if (bytes <= MAX_RESPONSE_BYTES) fits = { rows, bytes };
    else exceeds = { rows, bytes };
  }
  return Math.max(1, fits.rows);
}
