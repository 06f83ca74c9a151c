/** @returns the value that a variable of the style sheet has in the current colour scheme, as `rgb(…)`, also where colours are forced */
export function resolveColor(variable: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${variable})`;
  probe.style.setProperty('forced-color-adjust', 'none');
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
