import type { GatewayResponseType } from './gateway-response-types.ts';

/** Everything the local stage needs, read from the synthesized template. */
export interface StageDefinition {
  /** The first segment of every path, e.g. `v2`. */
  readonly stageName: string;
  readonly apiId: string;
  readonly resources: readonly ResourceDefinition[];
  /** By name, which the integrations refer to. */
  readonly functions: ReadonlyMap<string, FunctionDefinition>;
  readonly gatewayResponses: ReadonlyMap<GatewayResponseType, GatewayResponseDefinition>;
  /** Request bodies of these types are passed to the function in base64; base64 results are decoded if Accept names one first. `*` matches any part. */
  readonly binaryMediaTypes: readonly string[];
  /** The smallest response body in bytes that is compressed; undefined = never. */
  readonly minimumCompressionSize: number | undefined;
  readonly throttles: Throttles;
  readonly tables: readonly TableDefinition[];
  readonly signingKeys: readonly SigningKeyDefinition[];
}

export interface ResourceDefinition {
  readonly id: string;
  /** `/ad_groups/{ad_group_id}/available_products` */
  readonly path: string;
  /** By HTTP method; `ANY` matches those that are not listed. */
  readonly methods: ReadonlyMap<string, IntegrationDefinition>;
}

export interface IntegrationDefinition {
  readonly functionName: string;
  readonly timeoutMs: number;
}

export interface FunctionDefinition {
  readonly name: string;
  /** The folder of the bundle, which a deployment would zip. */
  readonly folder: string;
  /** `file.export` */
  readonly handler: string;
  readonly memoryMb: number;
  readonly timeoutMs: number;
  readonly environment: Readonly<Record<string, string>>;
  /** The lowest level of the function's own log lines that are written. */
  readonly logLevel: string;
}

export interface GatewayResponseDefinition {
  readonly statusCode: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON template; undefined = API Gateway's default. */
  readonly template: string | undefined;
}

/**
 * By path and method, such as `/report/{experience_name} POST`; `/* *` has the limits of all other methods. A method with an entry of its own
 * ignores that one. undefined = not throttled.
 */
export type Throttles = ReadonlyMap<string, ThrottleDefinition | undefined>;

export interface ThrottleDefinition {
  /** Requests per second. */
  readonly rate: number;
  /** Size of the token bucket: the largest burst of requests. */
  readonly burst: number;
}

/** In the form that CreateTable expects. */
export interface TableDefinition {
  readonly name: string;
  readonly attributes: readonly { readonly AttributeName: string; readonly AttributeType: 'S' | 'N' | 'B' }[];
  readonly keys: readonly { readonly AttributeName: string; readonly KeyType: 'HASH' | 'RANGE' }[];
}

export interface SigningKeyDefinition {
  readonly id: string;
}
