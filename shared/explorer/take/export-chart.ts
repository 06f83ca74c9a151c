const SVG = 'http://www.w3.org/2000/svg';
const MARGIN = 24;
const HEAD = 56;
/** Pixels of the image per pixel of the page. */
const SCALE = 2;
/** The presentation attributes that the page's style sheet or its variables decide. */
const COPIED = ['fill', 'stroke'] as const;

export interface Caption {
  readonly title: string;
  readonly subtitle: string;
}

/** @returns the chart's panels as one SVG file that needs no style sheet */
export function exportSvg(figure: HTMLElement, caption: Caption): Blob {
  return new Blob([new XMLSerializer().serializeToString(compose(figure, caption))], { type: 'image/svg+xml' });
}

/** @returns the chart as a PNG of twice its size on the page */
export async function exportPng(figure: HTMLElement, caption: Caption): Promise<Blob> {
  const svg = compose(figure, caption);
  const [width, height] = [Number(svg.getAttribute('width')), Number(svg.getAttribute('height'))];
  const url = URL.createObjectURL(exportSvg(figure, caption));
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

/** Places copies of all panels where they stand on the page, below the caption. */
function compose(figure: HTMLElement, { title, subtitle }: Caption): SVGSVGElement {
  const frame = figure.getBoundingClientRect();
  const style = getComputedStyle(figure);
  const [width, height] = [Math.ceil(frame.width + 2 * MARGIN), Math.ceil(frame.height + HEAD + 2 * MARGIN)];
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
  const background = append(svg, 'rect', { width, height, fill: colorOf('--surface') });
  background.setAttribute('data-part', 'background');
  const ink = style.color;
  append(svg, 'text', { x: MARGIN, y: MARGIN + 16, 'font-size': 17, 'font-weight': 600, fill: ink }, title);
  append(svg, 'text', { x: MARGIN, y: MARGIN + 36, fill: colorOf('--muted') }, subtitle);
  const place = ({ left, top }: DOMRect) => ({ x: left - frame.left + MARGIN, y: top - frame.top + HEAD + MARGIN });
  for (const heading of figure.querySelectorAll('.panel-title')) {
    const { x, y } = place(heading.getBoundingClientRect());
    const padding = Number.parseFloat(getComputedStyle(heading).paddingLeft);
    append(svg, 'text', { x: x + padding, y: y + 13, 'font-weight': 600, fill: ink }, heading.textContent ?? '');
  }
  for (const drawing of figure.querySelectorAll('svg')) {
    const { x, y } = place(drawing.getBoundingClientRect());
    const copy = withoutVariables(drawing);
    for (const [name, value] of Object.entries({ x, y, overflow: 'visible', color: ink }))
      copy.setAttribute(name, String(value));
    svg.append(copy);
  }
  return svg;
}

/** @returns a copy whose colours are values, because a file has neither the page's variables nor its style sheet */
function withoutVariables(drawing: SVGSVGElement): SVGSVGElement {
  const copy = drawing.cloneNode(true);
  if (!(copy instanceof SVGSVGElement)) throw new Error('the copy of an SVG element is none');
  const originals = [...drawing.querySelectorAll('*')];
  copy.removeAttribute('style');
  for (const [index, element] of [...copy.querySelectorAll('*')].entries()) {
    const original = originals[index];
    if (original === undefined) continue;
    const style = getComputedStyle(original);
    for (const name of COPIED)
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

function colorOf(variable: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
}
