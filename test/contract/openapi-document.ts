import { ROUTES } from '../../infra/config/routes.ts';
import { buildOpenApi } from '../../shared/contract/openapi/openapi.ts';

/** The members of an operation that the tests read. */
export interface OperationView {
  readonly operationId: string;
  readonly parameters?: readonly {
    name: string;
    in: string;
    required: boolean;
    schema: SchemaView;
    description: string;
    example: unknown;
  }[];
  readonly requestBody?: object;
  readonly security?: object;
  readonly responses: Readonly<Record<string, ResponseView>>;
}

interface ResponseView {
  readonly headers: object;
  readonly content: Readonly<Record<string, MediaView>>;
  readonly 'x-endcap-formats'?: object;
}

interface SchemaView {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly $ref?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
}

interface MediaView {
  readonly schema: object;
  readonly example: unknown;
  readonly examples: object;
}

// parsed JSON has no type of its own; the views above describe what the tests read
export const document = JSON.parse(JSON.stringify(buildOpenApi(ROUTES, { version: '1.2.3' })));
export const { schemas } = document.components;

const paths: Readonly<Record<string, Readonly<Record<string, OperationView>>>> = document.paths;

/** Path, method and operation of each operation. */
export const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [path, method, operation] as const),
);
