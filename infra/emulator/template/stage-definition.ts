import type { GatewayResponseType } from './gateway-response-types.ts';

/** Everything the local stage serves from, as read from the synthesized template. */
export interface StageDefinition {
  /** The first segment of every path, e.g. `v2`. */
  readonly stageName: string;
  readonly apiId: string;
  readonly resources: readonly ResourceDefinition[];
  /** By the name that integrations call. */
  readonly functions: ReadonlyMap<string, FunctionDefinition>;
  readonly gatewayResponses: ReadonlyMap<GatewayResponseType, GatewayResponseDefinition>;
  /** Bodies of these types reach the function base64-encoded; `*` matches any part. */
  readonly binaryMediaTypes: readonly string[];
  /** Bytes from which answers are compressed; undefined = never. */
  readonly minimumCompressionSize: number | undefined;
  readonly tables: readonly TableDefinition[];
  readonly signingKeys: readonly SigningKeyDefinition[];
}

export interface ResourceDefinition {
  readonly id: string;
  /** `/ad_groups/{ad_group_id}/available_products` */
  readonly path: string;
  /** By method; `ANY` takes those that are not listed. */
  readonly methods: ReadonlyMap<string, IntegrationDefinition>;
}

export interface IntegrationDefinition {
  readonly functionName: string;
  readonly timeoutMs: number;
  /** Undefined: everything is let through. */
  readonly throttle: ThrottleDefinition | undefined;
}

export interface FunctionDefinition {
  readonly name: string;
  /** The folder that would be zipped. */
  readonly folder: string;
  /** `file.export` */
  readonly handler: string;
  readonly memoryMb: number;
  readonly timeoutMs: number;
  readonly environment: Readonly<Record<string, string>>;
}

export interface GatewayResponseDefinition {
  readonly statusCode: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON template; undefined = the default of API Gateway. */
  readonly template: string | undefined;
}

export interface ThrottleDefinition {
  /** Requests a second. */
  readonly rate: number;
  readonly burst: number;
}

/** As CreateTable takes it. */
export interface TableDefinition {
  readonly name: string;
  readonly attributes: readonly { readonly AttributeName: string; readonly AttributeType: 'S' | 'N' | 'B' }[];
  readonly keys: readonly { readonly AttributeName: string; readonly KeyType: 'HASH' | 'RANGE' }[];
}

export interface SigningKeyDefinition {
  readonly id: string;
}
