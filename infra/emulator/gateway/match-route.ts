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
 * @returns a function that finds the resource of a path (`/jwt`, without the stage), or undefined. As in API Gateway a literal part goes before a
 * parameter, a parameter takes one part that is not empty, and a slash at the end makes another path.
 */
export function routeMatcher(resources: readonly ResourceDefinition[]): (path: string) => RouteMatch | undefined {
  const root = emptyNode();
  for (const resource of resources) {
    let node = root;
    for (const part of partsOf(resource.path)) node = childFor(node, part);
    node.resource = resource;
  }
  return (path) => (path.startsWith('/') ? find(root, partsOf(path), 0, {}) : undefined);
}

function find(
  node: Node,
  parts: readonly string[],
  at: number,
  parameters: Readonly<Record<string, string>>,
): RouteMatch | undefined {
  const part = parts[at];
  if (part === undefined) return node.resource === undefined ? undefined : { resource: node.resource, parameters };
  const literal = node.literal.get(part);
  const found = literal === undefined ? undefined : find(literal, parts, at + 1, parameters);
  if (found !== undefined || node.parameter === undefined || part === '') return found;
  return find(node.parameter.node, parts, at + 1, { ...parameters, [node.parameter.name]: part });
}

function childFor(node: Node, part: string): Node {
  const name = /^\{(.+)\}$/.exec(part)?.[1];
  if (name === undefined) {
    const child = node.literal.get(part) ?? emptyNode();
    node.literal.set(part, child);
    return child;
  }
  node.parameter ??= { name, node: emptyNode() };
  return node.parameter.node;
}

const emptyNode = (): Node => ({ resource: undefined, literal: new Map(), parameter: undefined });

/** `/` has no parts, `/a/` has two. */
const partsOf = (path: string): string[] => (path === '/' ? [] : path.slice(1).split('/'));
