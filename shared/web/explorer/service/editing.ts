import type { Catalogue } from '../question/catalogue.ts';
import type { Question } from '../question/question.ts';
import type { Account, Api, ListedAdvertiser } from './api.ts';

/** A question, and what changes it. */
export interface Editing {
  readonly catalogue: Catalogue;
  readonly question: Question;
  readonly change: (question: Question) => void;
}

/** The same with what it can be about. */
export interface Workspace extends Editing {
  readonly api: Api;
  readonly accounts: readonly Account[];
  /** Those of the question's account, or of all if it names some without an account; undefined while they are being read. */
  readonly advertisers: readonly ListedAdvertiser[] | undefined;
  readonly onError: (error: unknown) => void;
}
