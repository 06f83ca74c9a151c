/** @returns the value that a variable of the style sheet has in the current colour scheme, as `rgb(…)` */
export function resolveColor(variable: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${variable})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
