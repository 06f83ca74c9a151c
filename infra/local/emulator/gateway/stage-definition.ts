export interface StageDefinition {
  readonly functions: readonly FunctionDefinition[];
  readonly corsOrigins: readonly string[];
}

export interface FunctionDefinition {
  readonly name: string;
  /** The paths that it serves, for all methods: `/ad_groups/{ad_group_id}/available_products`. */
  readonly paths: readonly string[];
  /** The folder of its bundle, which a deployment would zip: `index.mjs` exports `handler`. */
  readonly folder: string;
  readonly memoryMb: number;
  readonly timeoutMs: number;
  readonly environment: Readonly<Record<string, string>>;
  /** The lowest level of the function's own log lines that are written. */
  readonly logLevel: string;
}
