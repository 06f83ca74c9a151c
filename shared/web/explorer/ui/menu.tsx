import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface MenuProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A button that opens a small panel below it, which the browser closes on Escape and on a click outside. */
export function Menu({ title, children }: MenuProps) {
  const id = useId();
  return (
    <>
      <button type="button" popovertarget={id}>
        {title}
      </button>
      <div popover="auto" id={id}>
        {children}
      </div>
    </>
  );
}
