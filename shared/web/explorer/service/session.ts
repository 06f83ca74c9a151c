const KEY = 'endcap.key';
const SAVED = 'endcap.saved-questions';

/** The key of this tab. It is gone when the tab is closed. */
export const storedKey = {
  read: (): string | undefined => sessionStorage.getItem(KEY) ?? undefined,
  write: (key: string): void => sessionStorage.setItem(KEY, key),
  remove: (): void => sessionStorage.removeItem(KEY),
};

interface SavedQuestion {
  readonly name: string;
  /** The question as in a link. */
  readonly query: string;
}

/** The questions that were saved in this browser. Writing throws a DOMException if the storage is full or blocked. */
export const savedQuestions = {
  read: (): readonly SavedQuestion[] => JSON.parse(localStorage.getItem(SAVED) ?? '[]'),
  write: (questions: readonly SavedQuestion[]): void => localStorage.setItem(SAVED, JSON.stringify(questions)),
};
