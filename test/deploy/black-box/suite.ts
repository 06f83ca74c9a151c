import type { Ask, KeyName, Reply } from '../target.ts';

/** What the cases need to know of the data; found out by asking. */
export interface World {
  /** One of the caller's accounts. */
  readonly accountId: number;
  /** One of the caller's ad groups that delivered. */
  readonly adGroupId: number;
  /** The last seven and the last thirty days that are complete, as a report takes them. */
  readonly week: { readonly startDate: string; readonly endDate: string };
  readonly month: { readonly startDate: string; readonly endDate: string };
}

/** What one target answered to the cases before, by their names. */
export type Earlier = (name: string) => Reply;

/** One request and what is to be answered. */
export interface Case {
  readonly name: string;
  readonly ask: Ask | ((world: World, earlier: Earlier) => Ask);
  readonly status: number;
  /** Code of the problem that is answered. */
  readonly code?: string;
  /** Loaded before it is asked: rows by the name of their file. */
  readonly load?: Readonly<Record<string, readonly object[]>>;
  /** Asks for what an earlier case has loaded. */
  readonly afterLoad?: true;
  /** Keys beside the caller's own that it takes. */
  readonly keys?: readonly KeyName[];
  /** Throws where the answer is not right in itself. */
  readonly check?: (reply: Reply, earlier: Earlier) => void;
}

export interface Suite {
  readonly name: string;
  readonly cases: readonly Case[];
}

/** @returns the body as JSON, whose members are checked by whoever looks at them */
export function bodyOf(reply: Reply): Record<string, unknown> {
  return Object(JSON.parse(reply.text));
}
