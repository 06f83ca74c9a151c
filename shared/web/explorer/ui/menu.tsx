import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface MenuProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A button that opens a small panel below it, which closes on Escape, on a click outside, and on a click on one of its buttons. */
export function Menu({ title, children }: MenuProps) {
  const id = useId();
  const close = ({ target, currentTarget }: MouseEvent & { readonly currentTarget: HTMLElement }) => {
    if (target instanceof Element && target.closest('button:not(.link)') !== null) currentTarget.hidePopover();
  };
  return (
    <>
      <button type="button" popovertarget={id}>
        {title}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: its buttons are interactive */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a key on a button is a click, too */}
      <div popover="auto" id={id} onClick={close}>
        {children}
      </div>
    </>
  );
}
