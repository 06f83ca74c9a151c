import { readFileSync } from 'node:fs';

/** A request of a `.http` file, and the response that it must have. Texts still contain variables such as `{{accountId}}`. */
export interface HttpCase {
  readonly section: string;
  readonly name: string;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
  readonly status: number;
  readonly code: string | undefined;
  /** Headers that the response must have; names in lower case. */
  readonly expectedHeaders: readonly (readonly [name: string, value: string])[];
  /** What the body must contain. */
  readonly expected: string | undefined;
}

/**
 * Reads requests in the format of the REST clients of editors, each followed by its response: a line `HTTP status CODE`, headers, and after an
 * empty line the body. A line `## name` begins a section, `### name` a request.
 * @throws an error with the name of a request that has no response
 */
export function readHttpFile(path: string): HttpCase[] {
  let section = '';
  return readFileSync(path, 'utf8')
    .split(/^(?=###? )/m)
    .flatMap((block) => {
      if (block.startsWith('### ')) return [parseCase(section, block.slice('### '.length))];
      section = /^## (.*)/.exec(block)?.[1] ?? section;
      return [];
    });
}

function parseCase(section: string, block: string): HttpCase {
  const [, request = '', status, code, response = ''] =
    /^([\s\S]*?)\n\nHTTP (\d{3})(?: ([A-Z_\d]+))?\n([\s\S]*)$/.exec(block) ?? [];
  const [, name = '', method, path, head = '', body] =
    /^(.*)\n([A-Z]+) (\S+)((?:\n\S+: .*)*)(?:\n\n([\s\S]*))?$/.exec(request) ?? [];
  if (status === undefined || method === undefined || path === undefined) throw new Error(`not a request: ${block}`);
  const [, expectedHead = '', expected = ''] = /^((?:\S+:.*\n)*)([\s\S]*)$/.exec(response) ?? [];
  return {
    section,
    name,
    method,
    path,
    headers: parseHeaders(head),
    body,
    status: Number(status),
    code,
    expectedHeaders: parseHeaders(expectedHead),
    expected: expected.trim() === '' ? undefined : expected.trim(),
  };
}

const parseHeaders = (text: string): [name: string, value: string][] =>
  [...text.matchAll(/^(\S+): ?(.*)$/gm)].map(([, name = '', value = '']) => [name, value]);

/** @returns the text with `{{name}}` replaced by the variable */
export function fillIn(text: string, variables: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = variables[name];
    if (value === undefined) throw new Error(`there is no variable ${name}`);
    return String(value);
  });
}
