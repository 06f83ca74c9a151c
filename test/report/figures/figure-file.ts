import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FACT_TABLES } from '../../../shared/catalog/tables.ts';
import { parseCompare, parseFilter, parseSort } from '../../../shared/contract/report/report-text.ts';
import { dayNumber } from '../../../shared/lib/calendar.ts';
import type { ReportResult, ReportWarning } from '../../../shared/report/query/query.ts';
import { type Cell, type Dataset, type DatasetParts, dataset } from '../../support/facts.ts';
import { runWithGaps } from './run.ts';

/** A report of a figure file: its line, its data, what all reports of the data ask for, and the lines of its result. */
interface FigureReport {
  readonly asked: string;
  readonly rows: readonly string[];
  readonly common: string;
  readonly result: readonly string[];
}

const RESULT = /^[=!~] /;
/** The longest line with a whole report or all rows. */
const WIDTH = 130;
const PARTS =
  'pla toa carousel all metrics by filter sort compare start end size offset own advertisers marketMinOthers minUsers method weekStartsOn textIds details messages gaps only days today'.split(
    ' ',
  );
const FACTS: readonly string[] = FACT_TABLES;

/**
 * Reads a figure file. `data` begins a data set, `data but` one with other rows of some tables than the one above. Below are its rows: `delivery DATE column=value …` or `campaigns column=value …`, where a text that
 * looks like a number has quotation marks, `[a,b]` is a list and `u*3` the list u0, u1, u2. `with` is what all reports of the data ask for. A test begins with its
 * title after `==`; each of its reports is a line after `?`, followed by its result after `=>` or in further lines.
 * @returns the reports of each test, by title
 */
export function readFigures(text: string): ReadonlyMap<string, readonly FigureReport[]> {
  const tests = new Map<string, FigureReport[]>();
  let [rows, common, title]: [string[], string, string] = [[], '', ''];
  let result: string[] = [];
  let replaced = new Set<string>();
  for (const line of text.split('\n')) {
    if (line === 'data') [rows, common] = [[], ''];
    if (line.startsWith('data')) [rows, replaced] = [[...rows], new Set()];
    else if (line.startsWith('with ')) common = line.slice(5);
    else if (line.startsWith('== ')) title = line.slice(3);
    else if (line.startsWith('?')) {
      const [asked = '', found] = line.split(' => ');
      result = found === undefined ? [] : [`= ${found}`];
      tests.set(title, [...(tests.get(title) ?? []), { asked, rows, common, result }]);
    } else if (RESULT.test(line)) result.push(line);
    else if (line !== '' && !line.startsWith('#')) {
      const [table = ''] = line.split(' ');
      if (!replaced.has(table)) rows = rows.filter((row) => !row.startsWith(`${table} `));
      replaced.add(table);
      rows.push(line);
    }
  }
  return tests;
}

/**
 * Runs a report. Its line has parts between ` & `: `but TABLE id=… column=value …` (any number; changes a row for this report, or adds one), `metrics=`, `by=`,
 * `filter=` (any number), `sort=`, `compare=`, `start=`, `end=`, an experience, members of the caller, and what the result states: `details` of warnings, or `messages` with fields, days and things, `gaps`
 * (the warning of missing days), `only=` warnings of these codes, `days` with data.
 * @param rollups whether months have rollups
 * @returns the lines of the result: after `=` the cells of each row between ` | `, and totals that differ from a single row; after `!` the warnings
 */
export async function compute({ asked, rows, common }: FigureReport, rollups = true): Promise<string[]> {
  const all = [...common.split(' & '), ...asked.slice(2).split(' & ')].filter((part) => part !== '');
  const changes = all.flatMap((part) => (part.startsWith('but ') ? [part.slice(4)] : []));
  const parts = all.filter((part) => !part.startsWith('but '));
  const split = parts.map((part) => [part.replace(/=.*/s, ''), part.replace(/^\w+=?/, '')] as const);
  for (const [name] of split) if (!PARTS.includes(name)) throw new Error(`${asked}: there is no part ${name}`);
  const given = new Map(split);
  const list = (name: string) => given.get(name)?.split(',').filter(Boolean);
  const numbers = (name: string, to: string) => given.has(name) && { [to]: (list(name) ?? []).map(Number) };
  const dimensions = list('by') ?? [];
  const compared = given.get('compare');
  const query = {
    experience: ['all', 'toa', 'carousel'].find((name) => given.has(name)) ?? 'pla',
    ...{ metrics: list('metrics') ?? [], dimensions, sort: (list('sort') ?? []).map(parseSort) },
    filters: split.flatMap(([name, value]) => (name === 'filter' ? [parseFilter(value)] : [])),
    ...(given.has('start') && { startDate: given.get('start') }),
    ...(given.has('end') && { endDate: given.get('end') }),
    ...(compared !== undefined && { compare: parseCompare(compared) }),
    ...(given.has('size') && { pagination: { offset: Number(given.get('offset')), size: Number(given.get('size')) } }),
    ...(given.has('today') && { today: dayNumber(given.get('today') ?? '') }),
    ...(given.has('weekStartsOn') && { weekStartsOn: given.get('weekStartsOn') }),
    ...(given.has('textIds') && { hasTextIds: true }),
    ...(given.has('marketMinOthers') && { marketMinOthers: Number(given.get('marketMinOthers')) }),
    ...(given.has('method') && { methodology: JSON.parse(given.get('method') ?? '') }),
    ...(given.has('minUsers') && { minUsers: Number(given.get('minUsers')) }),
    ...{ ...numbers('own', 'ownAdvertiserIds'), ...numbers('advertisers', 'advertiserIds') },
  } as Parameters<typeof runWithGaps>[1]; // a wrong name fails in the report
  const changed = changes.reduce<readonly string[]>(changeRows, rows);
  const key = changed.join('\n');
  const data = DATASETS.get(key) ?? dataOf(changed);
  DATASETS.set(key, data);
  const report = await runWithGaps(data, { ...query, rollups });
  return [...resultLines(report), ...warningLines(report, given), ...(given.has('days') ? [daysLine(report)] : [])];
}

/** By their rows, because many reports are of the same data. */
const DATASETS = new Map<string, Dataset>();

/** @returns the rows, where the one with the table and id of the change also has its columns, else the change is a row of its own */
function changeRows(rows: readonly string[], change: string): readonly string[] {
  const [key = change] = /^\w+ id=\S+/.exec(change) ?? [];
  const isChanged = (row: string) => `${row} `.startsWith(`${key} `);
  return rows.some(isChanged) ? rows.map((row) => (isChanged(row) ? `${row} ${change}` : row)) : [...rows, change];
}

function resultLines({ data, totals, comparedTotals, changeTotals, relativeChangeTotals }: ReportResult): string[] {
  const cells = (row: object) => Object.values(row).map(format).join(' ');
  const [first, ...others] = data.map(cells);
  const total = cells(totals);
  const texts = [
    ...(first === undefined ? [] : [first]),
    ...others,
    ...(total === '' || total === first ? [] : [`total ${total}`]),
  ];
  if (comparedTotals)
    texts.push(
      `compared ${cells(comparedTotals)}`,
      `change ${cells(changeTotals ?? {})}`,
      `relative ${cells(relativeChangeTotals ?? {})}`,
    );
  const whole = texts.join(' | ');
  return whole.length <= WIDTH ? [`= ${whole}`] : texts.map((text) => `= ${text}`);
}

function warningLines({ meta }: ReportResult, given: ReadonlyMap<string, string>): string[] {
  const shown = meta.warnings.filter(
    ({ code }) =>
      given.get('only')?.includes(code) ?? (given.has('gaps') || !['MISSING_DAYS', 'TABLE_LACKS_DAYS'].includes(code)),
  );
  if (given.has('messages')) return shown.map(messageLine);
  const heads = shown.map(
    ({ code, field, drop }) => `${code} ${field}${drop.map((name) => ` (drop ${name})`).join('')}`,
  );
  if (given.has('details')) return shown.map(({ detail }, i) => `! ${heads[i]}: ${detail}`);
  return shown.length === 0 ? [] : [`! ${heads.join(', ')}`];
}

function messageLine({ code, fields, message, dates, things }: ReportWarning): string {
  const days = dates.map(({ from, to }) => ` ${from}..${to}`).join('');
  const named = things.map(({ id, name }) => ` ${id}=${JSON.stringify(name)}`).join('');
  return `! ${code} ${fields.join(',')}${days}${named}: ${message}`;
}

function daysLine({ meta: { data, dataCompleteThrough, compared } }: ReportResult): string {
  const missing = ({ missingDays, missingDayCount, gaps }: typeof data) =>
    `${[missingDayCount, 'missing', ...missingDays].join(' ')}; ${['gaps', ...gaps.map((gap) => `${gap.from}..${gap.through}`)].join(' ')}`;
  const before = compared && `; compared ${compared.startDate} to ${compared.endDate}: ${missing(compared.data)}`;
  return `~ ${data.from} to ${data.through}, complete through ${dataCompleteThrough}: ${missing(data)}${before ?? ''}`;
}

/** @returns the value; a text of several words is JSON, and a number that is no short decimal a fraction */
function format(value: unknown): string {
  if (typeof value === 'string') return /^\S+$/.test(value) ? value : JSON.stringify(value);
  if (typeof value !== 'number' || String(value).length < 10 || Math.abs(value) > 1_000) return String(value);
  for (let below = 2; below < 10_000; below++) {
    const above = Math.round(value * below);
    if (above / below === value) return `${above}/${below}`;
  }
  return String(value);
}

function dataOf(rows: readonly string[]) {
  const parts: Record<string, object[]> = {};
  for (const row of rows) {
    const [table = '', date = ''] = row.split(' ');
    const columns = [...row.matchAll(/(\w+)=("(?:[^"\\]|\\.)*"|\S+)/g)].map(([, name, text = '']) => [
      name,
      cell(text),
    ]);
    parts[table] ??= [];
    if (columns.length > 0 || FACTS.includes(table))
      parts[table].push({ ...(FACTS.includes(table) && { date }), ...Object.fromEntries(columns) });
  }
  return dataset(parts as DatasetParts); // a wrong name fails in the report
}

function cell(text: string): Cell {
  const [, prefix = '', count] = /^(\w+)\*(\d+)$/.exec(text) ?? [];
  if (count !== undefined) return Array.from({ length: Number(count) }, (_, i) => `${prefix}${i}`);
  if (text.startsWith('['))
    return text
      .slice(1, -1)
      .split(',')
      .filter(Boolean)
      .map((member) => String(cell(member)));
  if (text.startsWith('"')) return JSON.parse(text);
  if (text === 'null') return null;
  return /^-?[\d.]+$/.test(text) ? Number(text) : text;
}

/** `npm exec -- node test/report/figures/figure-file.ts` writes the results anew. */
if (import.meta.main)
  for (const name of globSync('*.txt', { cwd: import.meta.dirname })) {
    const path = join(import.meta.dirname, name);
    const lines = readFileSync(path, 'utf8').split('\n');
    const reports = [...readFigures(lines.join('\n')).values()].flat();
    const written: string[] = [];
    for (const line of lines.filter((text) => !RESULT.test(text))) {
      const report = line.startsWith('?') ? reports.shift() : undefined;
      const [first = '', ...more] = report === undefined ? [line] : [report.asked, ...(await compute(report))];
      const whole =
        more[0]?.startsWith('= ') && !more[1]?.startsWith('= ') ? `${first} =${more[0].replace('=', '>')}` : '';
      written.push(...(whole !== '' && whole.length <= WIDTH ? [whole, ...more.slice(1)] : [first, ...more]));
    }
    writeFileSync(path, written.join('\n'));
  }
