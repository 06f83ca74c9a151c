let context: CanvasRenderingContext2D | null | undefined;

/** @param size of the font in pixels @returns the width of the text in the page's font, in pixels */
export function measureText(text: string, size: number, weight = 400): number {
  context ??= document.createElement('canvas').getContext('2d');
  if (context === null) return (text.length * size * 7) / 12;
  context.font = `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`;
  return context.measureText(text).width;
}
