import type { CreatedKey } from '../../shared/identity/api-keys.ts';
import type { User } from '../../shared/store/listings/users.ts';
import type { Brand } from '../../shared/web/pages/write-html.ts';
import { describeKey } from './describe-key.ts';

/**
 * @param address the base URL of the API; undefined = ADDRESS stands for it in the text
 * @returns a text for the user, with the key and the first steps that it allows
 */
export function writeMailText({ key, record }: CreatedKey, { name }: User, brand: Brand, address = 'ADDRESS'): string {
  const { label: _, ...shown } = record; // for the operator only
  const [, ...limits] = describeKey(shown).split('\n');
  const { scopes = ['metadata', 'report'], expiresAt } = record;
  const hasExplorer = scopes.includes('metadata') && scopes.includes('report');
  return [
    `Dear ${name},`,
    '',
    `this is your key for the advertising reports of ${brand.name ?? 'our network'}. Keep it secret; we cannot show it again.`,
    '',
    `    Address: ${address}`,
    `    Key: ${key}`,
    `    Valid until: ${new Date(expiresAt).toISOString().slice(0, 10)}`,
    ...limits,
    '',
    'First steps:',
    ...(hasExplorer ? [`- See reports in a browser: open ${address}/explorer, and enter the key.`] : []),
    `- Use reports in a sheet or program: send the key in the header Ocp-Apim-Subscription-Key; ${address}/docs shows how.`,
    `- What the figures mean: ${address}/docs/fields`,
    ...(brand.contact === undefined ? [] : ['', `Questions: ${brand.contact}`]),
  ].join('\n');
}
