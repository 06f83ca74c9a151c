import { measureText } from '../ui/measure-text.ts';

/** Characters of the end that stay visible. */
const END = 10;

/** A name that the style sheet cuts in its middle. Its text stays whole, for selections and searches. */
export function Name({ text }: { readonly text: string }) {
  if (text.length <= 2 * END) return <>{text}</>;
  const end = text.slice(-END);
  return (
    <>
      <span class="start" style={{ maxWidth: `calc(100% - ${Math.ceil(measureText(end, 14))}px)` }}>
        {text.slice(0, -END)}
      </span>
      <span class="end">{end}</span>
    </>
  );
}
