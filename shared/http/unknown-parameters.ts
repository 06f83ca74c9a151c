import type { APIGatewayProxyEvent } from 'aws-lambda';
import { suggestNames } from '../catalog/describe/suggest.ts';
import { KEY_QUERY } from './api-key.ts';
import { headerJson } from './format/file-headers.ts';

/** All headers of a response together may have 10,240 bytes, of which a report as a file uses up to 7,500 (`file-headers.ts`). */
const MAX_LISTED = 3;

/**
 * Unknown query parameters are ignored, so a typing error would silently select something else, such as all items instead of some.
 * @param known the parameters of the endpoint besides the key
 * @returns the value of the header, with a warning for each of the first unknown ones, without their values, which may be secret; undefined if there is none
 */
export function describeUnknownParameters(
  { multiValueQueryStringParameters }: Pick<APIGatewayProxyEvent, 'multiValueQueryStringParameters'>,
  known: readonly string[],
): string | undefined {
  const names = Object.keys(multiValueQueryStringParameters ?? {}).filter(
    (name) => name !== KEY_QUERY && !known.includes(name),
  );
  if (names.length === 0) return undefined;
  return headerJson(names.slice(0, MAX_LISTED).map((name) => describeUnknown(name, known)));
}

function describeUnknown(name: string, known: readonly string[]): object {
  const parameter = name.slice(0, 40);
  const suggestions = suggestNames(name, known);
  const advice = suggestions.length === 0 ? listKnown(known) : `Did you mean ${suggestions.join(' or ')}?`;
  return { code: 'UNKNOWN_PARAMETER', parameter, detail: `This parameter is unknown and was ignored. ${advice}` };
}

function listKnown(known: readonly string[]): string {
  return known.length === 0 ? 'There are no parameters here.' : `The parameters are ${known.join(', ')}.`;
}
