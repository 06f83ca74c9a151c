import { useEffect, useState } from 'preact/hooks';

/** @returns whether the page is being printed, for what only the paper shows */
export function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const begin = () => setPrinting(true);
    const end = () => setPrinting(false);
    window.addEventListener('beforeprint', begin);
    window.addEventListener('afterprint', end);
    return () => {
      window.removeEventListener('beforeprint', begin);
      window.removeEventListener('afterprint', end);
    };
  }, []);
  return isPrinting;
}

/** Prints once the page is rendered for it: a script that calls `print` would block that. */
export function printAll(): void {
  window.dispatchEvent(new Event('beforeprint'));
  setTimeout(() => print(), 0);
}
