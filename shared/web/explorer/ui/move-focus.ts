export function focusResult(): void {
  document.querySelector<HTMLElement>('#result h1')?.focus();
}

/** Moves the focus to the next or previous element of a list with the arrow keys, and to its ends with Home and End. */
export function moveFocus(event: KeyboardEvent & { readonly currentTarget: HTMLElement }, selector: string): void {
  const step = STEPS.get(event.key);
  if (step === undefined) return;
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>(selector)];
  const current = items.findIndex((item) => item.matches(':focus'));
  if (current < 0) return;
  event.preventDefault();
  items[Math.max(0, Math.min(items.length - 1, current + step))]?.focus();
}

const STEPS: ReadonlyMap<string, number> = new Map([
  ['ArrowDown', 1],
  ['ArrowUp', -1],
  ['Home', Number.NEGATIVE_INFINITY],
  ['End', Number.POSITIVE_INFINITY],
]);
