/** Size of the font of charts, in pixels. */
const LABEL = 12;

let context: CanvasRenderingContext2D | null | undefined;

/** @returns the width of the text in the page's font, whose size is in pixels as well */
export function measureText(text: string, size: number, weight = 400): number {
  context ??= document.createElement('canvas').getContext('2d');
  if (context === null) return (text.length * size * 7) / 12;
  context.font = `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`;
  return context.measureText(text).width;
}

/** @returns the width in pixels that the texts need at the size of labels, at most `max` */
export function textWidth(texts: readonly string[], max: number): number {
  const widths = texts.map((text) => measureText(text, LABEL));
  return Math.ceil(Math.min(Math.max(0, ...widths) + 6, max));
}

/** @returns the text cut in its middle to `width` pixels at the size of labels; names differ at their ends */
export function cutText(text: string, width: number): string {
  if (measureText(text, LABEL) <= width) return text;
  let [fitting, tooLong] = [1, text.length];
  while (tooLong - fitting > 1) {
    const length = (fitting + tooLong) >> 1;
    if (measureText(keepEnds(text, length), LABEL) <= width) fitting = length;
    else tooLong = length;
  }
  return keepEnds(text, fitting);
}

function keepEnds(text: string, characters: number): string {
  const start = Math.ceil(characters / 2);
  return `${text.slice(0, start).trimEnd()}…${text.slice(text.length - characters + start).trimStart()}`;
}
