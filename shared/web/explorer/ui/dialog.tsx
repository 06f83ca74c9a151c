import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly footer?: ComponentChildren;
  readonly class?: string;
}

/** A modal dialog: the browser keeps the focus inside and gives it back; Escape, a click outside and a form with the method `dialog` close it. */
export function Dialog({ title, onClose, children, footer, class: name = '' }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const closeOutside = (event: MouseEvent) => {
    if (event.target === dialog.current) dialog.current?.close();
  };
  return (
    <dialog ref={dialog} class={name} aria-label={title} onClose={onClose} onMouseDown={closeOutside}>
      <header>
        <h2>{title}</h2>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      <div>{children}</div>
      {footer === undefined ? null : <footer>{footer}</footer>}
    </dialog>
  );
}
