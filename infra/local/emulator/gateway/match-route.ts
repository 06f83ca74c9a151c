import type { FunctionDefinition } from './stage-definition.ts';

interface RouteMatch {
  readonly functionName: string;
  /** As in the definition: `/report/{experience_name}`. */
  readonly resource: string;
  /** Still percent-encoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * @returns a function that returns the function of a path (`/jwt`, without the stage), or undefined if there is none. As in API Gateway, a parameter matches one
 * non-empty segment, and a trailing slash makes a different path. No path matches two routes.
 */
export function routeMatcher(functions: readonly FunctionDefinition[]): (path: string) => RouteMatch | undefined {
  const routes = functions.flatMap(({ name, paths }) =>
    paths.map((path) => {
      const pattern = path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
      return { functionName: name, resource: path, pattern: new RegExp(`^${pattern}$`) };
    }),
  );
  return (path) => {
    for (const { pattern, ...route } of routes) {
      const match = pattern.exec(path);
      if (match !== null) return { ...route, parameters: { ...match.groups } };
    }
    return undefined;
  };
}
