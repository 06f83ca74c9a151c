import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { moveFocus } from './move-focus.ts';

type Row = Readonly<Record<string, string | number | null>>;

/** Opens the menu for a row, at a place in the window. */
export type OpenRowMenu = (row: Row, x: number, y: number) => void;

/** @returns a menu of the dimensions by which a row can be broken down, and what opens it */
export function useRowMenu(
  offered: readonly { readonly name: string; readonly title: string }[],
  onChoose: (row: Row, dimension: string) => void,
): readonly [JSX.Element, OpenRowMenu] {
  const [place, setPlace] = useState<{ readonly row: Row; readonly x: number; readonly y: number }>();
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place === undefined) return;
    panel.current?.showPopover();
    panel.current?.querySelector('button')?.focus();
  }, [place]);
  const { row, x = 0, y = 0 } = place ?? {};
  const menu = (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a popover that is placed at the pointer
    <div
      ref={panel}
      popover="auto"
      role="group"
      aria-label="Only this, by"
      class="row-menu"
      style={{ left: `min(${x}px, 100vw - 220px)`, top: `max(8px, min(${y}px, 100vh - 440px))` }}
      onKeyDown={(event) => moveFocus(event, 'button')}
    >
      <p class="hint">Only this, by</p>
      {offered.map(({ name, title }) => (
        <button
          key={name}
          type="button"
          onClick={() => {
            panel.current?.hidePopover();
            if (row !== undefined) onChoose(row, name);
          }}
        >
          {title}
        </button>
      ))}
    </div>
  );
  return [menu, (next, left, top) => setPlace({ row: next, x: left, y: top })];
}
