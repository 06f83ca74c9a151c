import type { ApiRequest, ApiResponse, KeyName, Target } from '../target.ts';

/** The ids that the requests use; read from the API. */
export interface TestData {
  /** One of the caller's accounts. */
  readonly accountId: number;
  /** One of the caller's ad groups that has delivery. */
  readonly adGroupId: number;
}

/** @returns the target's response in an earlier case */
export type Earlier = (name: string) => ApiResponse;

/** One request and the expected response. */
export interface Case {
  /** Completes the test's title “responds 200 to …”. */
  readonly name: string;
  readonly request: ApiRequest | ((testData: TestData, earlier: Earlier, target: Target) => ApiRequest);
  readonly status: number;
  /** The expected problem code. */
  readonly code?: string;
  /** Rows to load before the request, by the name of their file. */
  readonly load?: Readonly<Record<string, readonly object[]>>;
  /** Whether the request depends on what an earlier case has loaded. */
  readonly afterLoad?: true;
  /** The keys that the request needs besides `agency`. */
  readonly keys?: readonly KeyName[];
  /** Throws if the response is wrong. */
  readonly check?: (response: ApiResponse, earlier: Earlier) => void;
}

export interface Suite {
  readonly name: string;
  readonly cases: readonly Case[];
}

/** @returns the body, parsed as JSON */
export function bodyOf(response: ApiResponse): Record<string, unknown> {
  return Object(JSON.parse(response.text));
}
