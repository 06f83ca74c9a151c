const KEY = 'endcap.key';
const SAVED = 'endcap.saved-questions';

/** The key of this tab. It is gone when the tab is closed. */
export const storedKey = {
  read: (): string | undefined => sessionStorage.getItem(KEY) ?? undefined,
  write: (key: string): void => sessionStorage.setItem(KEY, key),
  remove: (): void => sessionStorage.removeItem(KEY),
};

export interface SavedQuestion {
  readonly name: string;
  /** The question as in a link. */
  readonly query: string;
}

/** The questions that were saved in this browser. Writing throws a DOMException if the storage is full or blocked. */
export const savedQuestions = {
  read: (): readonly SavedQuestion[] => {
    try {
      const stored: unknown = JSON.parse(localStorage.getItem(SAVED) ?? '[]');
      return Array.isArray(stored) ? stored.filter(isSaved) : [];
    } catch {
      return [];
    }
  },
  write: (questions: readonly SavedQuestion[]): void => localStorage.setItem(SAVED, JSON.stringify(questions)),
};

function isSaved(item: unknown): item is SavedQuestion {
  return (
    typeof item === 'object' &&
    item !== null &&
    'name' in item &&
    typeof item.name === 'string' &&
    'query' in item &&
    typeof item.query === 'string'
  );
}
