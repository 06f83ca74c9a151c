import type { ResourceDefinition } from '../template/stage-definition.ts';

export interface RouteMatch {
  readonly resource: ResourceDefinition;
  /** Still percent-encoded. */
  readonly parameters: Readonly<Record<string, string>>;
}

interface Node {
  resource: ResourceDefinition | undefined;
  readonly literal: Map<string, Node>;
  parameter: { readonly name: string; readonly node: Node } | undefined;
}

/**
 * @returns a function that returns the resource of a path (`/jwt`, without the stage), or undefined if there is none. The rules are API Gateway's:
 * a literal segment takes precedence over a parameter, a parameter matches one non-empty segment, and a trailing slash makes a different path.
 */
export function routeMatcher(resources: readonly ResourceDefinition[]): (path: string) => RouteMatch | undefined {
  const root = emptyNode();
  for (const resource of resources) {
    let node = root;
    for (const segment of segmentsOf(resource.path)) node = childFor(node, segment);
    node.resource = resource;
  }
  return (path) => (path.startsWith('/') ? find(root, segmentsOf(path), 0, {}) : undefined);
}

function find(
  node: Node,
  segments: readonly string[],
  at: number,
  parameters: Readonly<Record<string, string>>,
): RouteMatch | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.resource === undefined ? undefined : { resource: node.resource, parameters };
  const literal = node.literal.get(segment);
  const found = literal === undefined ? undefined : find(literal, segments, at + 1, parameters);
  if (found !== undefined || node.parameter === undefined || segment === '') return found;
  return find(node.parameter.node, segments, at + 1, { ...parameters, [node.parameter.name]: segment });
}

function childFor(node: Node, segment: string): Node {
  const name = /^\{(.+)\}$/.exec(segment)?.[1];
  if (name === undefined) {
    const child = node.literal.get(segment) ?? emptyNode();
    node.literal.set(segment, child);
    return child;
  }
  node.parameter ??= { name, node: emptyNode() };
  return node.parameter.node;
}

const emptyNode = (): Node => ({ resource: undefined, literal: new Map(), parameter: undefined });

/** `/` has no segments, `/a/` has two. */
const segmentsOf = (path: string): string[] => (path === '/' ? [] : path.slice(1).split('/'));
