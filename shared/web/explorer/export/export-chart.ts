import { cutText } from '../ui/measure-text.ts';
import { resolveColor } from '../ui/resolve-color.ts';

const SVG = 'http://www.w3.org/2000/svg';
/** Distances and heights of lines in pixels of the page. */
const MARGIN = 24;
const LINE = 18;
const TITLE_LINE = 22;
const TITLE_FONT = { 'font-size': 17, 'font-weight': 600 } as const;
/** Pixels of the image per pixel of the page. */
const SCALE = 2;
/** The attributes whose values may be variables of the page's style sheet. */
const COLOR_ATTRIBUTES = ['fill', 'stroke'] as const;

interface Caption {
  readonly title: string;
  /** The period and what else the figures depend on; each begins a line. */
  readonly subtitles: readonly string[];
}

/** @returns the chart with caption, legend and notes as one SVG file that needs no style sheet */
export function exportSvg(drawing: HTMLElement, caption: Caption): Blob {
  return new Blob([new XMLSerializer().serializeToString(compose(drawing, caption))], { type: 'image/svg+xml' });
}

/** @returns the chart as a PNG of SCALE times the size of the SVG file */
export async function exportPng(drawing: HTMLElement, caption: Caption): Promise<Blob> {
  const svg = compose(drawing, caption);
  const [width, height] = [Number(svg.getAttribute('width')), Number(svg.getAttribute('height'))];
  const url = URL.createObjectURL(exportSvg(drawing, caption));
  try {
    const image = new Image(width, height);
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = width * SCALE;
    canvas.height = height * SCALE;
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('the browser has no canvas');
    context.scale(SCALE, SCALE);
    context.drawImage(image, 0, 0, width, height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (blob === null) throw new Error('the browser cannot write PNG files');
    return blob;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Places copies of the legend and all panels where they stand on the page, between the caption and the notes. */
function compose(drawing: HTMLElement, { title, subtitles: given }: Caption): SVGSVGElement {
  const figure = drawing.closest<HTMLElement>('figure') ?? drawing;
  const frame = figure.getBoundingClientRect();
  const ink = getComputedStyle(figure).color;
  const muted = resolveColor('--muted');
  const width = Math.ceil(drawing.getBoundingClientRect().width + 2 * MARGIN);
  const notes = figure.closest('.chart')?.querySelector('.notes')?.textContent ?? '';
  // a character of the title is about 9 pixels wide, one of the other texts 6.5
  const [titles, subtitles, remarks] = [
    wrap(title, frame.width / 9),
    given.flatMap((text) => wrap(text, frame.width / 6.5)),
    wrap(notes, frame.width / 6.5),
  ];
  const top = MARGIN + titles.length * TITLE_LINE + subtitles.length * LINE + 8;
  const bottom = top + frame.height;
  const height = Math.ceil(bottom + remarks.length * LINE + MARGIN);
  const svg = document.createElementNS(SVG, 'svg');
  for (const [name, value] of Object.entries({
    xmlns: SVG,
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    'font-family': 'system-ui, sans-serif',
    'font-size': 12,
  })) {
    svg.setAttribute(name, String(value));
  }
  const background = append(svg, 'rect', { width, height, fill: resolveColor('--surface') });
  background.setAttribute('data-part', 'background');
  for (const [index, line] of titles.entries())
    append(svg, 'text', { x: MARGIN, y: MARGIN + 16 + index * TITLE_LINE, ...TITLE_FONT, fill: ink }, line);
  for (const [index, line] of subtitles.entries())
    append(svg, 'text', { x: MARGIN, y: MARGIN + titles.length * TITLE_LINE + 13 + index * LINE, fill: muted }, line);
  for (const [index, line] of remarks.entries())
    append(svg, 'text', { x: MARGIN, y: bottom + 13 + index * LINE, fill: muted }, line);
  const indent = Number.parseFloat(getComputedStyle(figure).paddingLeft);
  const place = ({ left, top: above }: DOMRect) => ({
    x: left - frame.left - indent + MARGIN,
    y: above - frame.top + top,
  });
  for (const swatch of figure.querySelectorAll('.legend svg')) {
    const box = swatch.getBoundingClientRect();
    const { x, y } = place(box);
    const left = x + box.width + 6;
    const name = cutText(swatch.parentElement?.textContent ?? '', width - left - MARGIN);
    append(svg, 'text', { x: left, y: y + box.height / 2 + 4, fill: ink }, name);
  }
  for (const heading of figure.querySelectorAll('.panel-title')) {
    const { x, y } = place(heading.getBoundingClientRect());
    const padding = Number.parseFloat(getComputedStyle(heading).paddingLeft);
    append(svg, 'text', { x: x + padding, y: y + 13, 'font-weight': 600, fill: ink }, heading.textContent ?? '');
  }
  for (const part of figure.querySelectorAll('svg')) {
    const { x, y } = place(part.getBoundingClientRect());
    const copy = withoutVariables(part);
    for (const [name, value] of Object.entries({ x, y, overflow: 'visible', color: ink, 'font-size': 12 }))
      copy.setAttribute(name, String(value));
    svg.append(copy);
  }
  return svg;
}

/** @returns the text in lines of at most so many characters; a longer word has a line of its own */
function wrap(text: string, characters: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ').filter((part) => part !== '')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= characters) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** @returns a copy whose colours are values, because a file has neither the page's variables nor its style sheet */
function withoutVariables(drawing: SVGSVGElement): SVGSVGElement {
  const copy = drawing.cloneNode(true);
  if (!(copy instanceof SVGSVGElement)) throw new Error('the copy of an SVG element is not one');
  const originals = [...drawing.querySelectorAll('*')];
  copy.removeAttribute('style');
  for (const [index, element] of [...copy.querySelectorAll('*')].entries()) {
    const original = originals[index];
    if (original === undefined) continue;
    const style = getComputedStyle(original);
    for (const name of COLOR_ATTRIBUTES)
      if (element.getAttribute(name)?.includes('var(') === true)
        element.setAttribute(name, style.getPropertyValue(name));
  }
  return copy;
}

function append(
  parent: Element,
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  text = '',
): Element {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.textContent = text;
  parent.append(element);
  return element;
}
