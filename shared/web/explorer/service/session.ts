const KEY = 'endcap.key';
const SAVED = 'endcap.saved-questions';

/** A key that somebody keeps on the device is kept no longer. */
const MAX_KEPT_MS = 30 * 86_400_000;

/** The key of this tab, which is gone when the tab is closed, or the one that is kept on the device. */
export const storedKey = {
  read: (): string | undefined => sessionStorage.getItem(KEY) ?? readKept(),
  write: (key: string, isKept: boolean): void => {
    sessionStorage.setItem(KEY, key);
    if (isKept) localStorage.setItem(KEY, JSON.stringify({ key, until: Date.now() + MAX_KEPT_MS }));
  },
  remove: (): void => {
    sessionStorage.removeItem(KEY);
    storedKey.removeKept();
  },
  removeKept: (): void => localStorage.removeItem(KEY),
};

function readKept(): string | undefined {
  const { key, until = 0 } = JSON.parse(localStorage.getItem(KEY) ?? '{}');
  if (Date.now() < until) return key;
  storedKey.removeKept();
  return undefined;
}

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
