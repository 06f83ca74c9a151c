import { compareText } from '../../../shared/lib/compare-text.ts';
import type { FunctionDefinition } from '../definition/stage-definition.ts';

interface RouteMatch {
  readonly functionName: string;
  /** As in the definition: `/report/{experience_name}`. */
  readonly resource: string;
  /** Still percent-encoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * @returns a function that returns the function of a path (`/jwt`, without the stage), or undefined if there is none. The rules are API Gateway's:
 * a literal segment takes precedence over a parameter, a parameter matches one non-empty segment, and a trailing slash makes a different path.
 */
export function routeMatcher(functions: readonly FunctionDefinition[]): (path: string) => RouteMatch | undefined {
  const routes = functions
    .flatMap(({ name, paths }) => paths.map((path) => ({ name, path, segments: path.split('/').map(toSegment) })))
    .sort((a, b) => compareText(precedenceOf(a.segments), precedenceOf(b.segments)));
  return (path) => {
    const parts = path.split('/');
    const match = routes.find(
      ({ segments }) =>
        segments.length === parts.length &&
        segments.every(({ literal }, index) =>
          literal === undefined ? parts[index] !== '' : literal === parts[index],
        ),
    );
    if (match === undefined) return undefined;
    const parameters = match.segments.flatMap(({ parameter }, index) =>
      parameter === undefined ? [] : [[parameter, parts[index] ?? ''] as const],
    );
    return { functionName: match.name, resource: match.path, parameters: Object.fromEntries(parameters) };
  };
}

interface Segment {
  readonly literal?: string;
  readonly parameter?: string;
}

function toSegment(text: string): Segment {
  const parameter = /^\{(.+)\}$/.exec(text)?.[1];
  return parameter === undefined ? { literal: text } : { parameter };
}

/** @returns a text by which routes sort: the first segment in which two differ in kind decides, a literal before a parameter */
function precedenceOf(segments: readonly Segment[]): string {
  return segments.map(({ literal }) => (literal === undefined ? 1 : 0)).join('');
}
