import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { moveFocus } from './move-focus.ts';

type Row = Readonly<Record<string, string | number | null>>;

/** Opens the menu for a row, at a place in the window. */
export type OpenRowMenu = (row: Row, x: number, y: number) => void;

/** @returns a menu of the dimensions by which a row can be broken down, and what opens it */
export function useRowMenu(
  offered: readonly { readonly name: string; readonly title: string }[],
  nameOf: (row: Row) => string,
  onChoose: (row: Row, dimension: string) => void,
): readonly [JSX.Element, OpenRowMenu] {
  const [place, setPlace] = useState<{ readonly row: Row; readonly x: number; readonly y: number }>();
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place === undefined) return;
    const { current: menu } = panel;
    if (menu === null) return;
    menu.showPopover();
    const { offsetWidth: width, offsetHeight: height } = menu;
    const isBelow = place.y + height + 8 < innerHeight;
    menu.style.left = `${Math.max(8, Math.min(place.x, innerWidth - width - 8))}px`;
    menu.style.top = `${isBelow ? place.y + 8 : Math.max(8, place.y - height - 8)}px`;
    menu.querySelector('button')?.focus();
  }, [place]);
  const row = place?.row;
  const menu = (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a popover that is placed at the pointer
    <div
      ref={panel}
      popover="auto"
      role="group"
      aria-label="Only this, by"
      class="row-menu"
      onKeyDown={(event) => moveFocus(event, 'button')}
    >
      <p class="hint">Only {row && nameOf(row)}, by</p>
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
