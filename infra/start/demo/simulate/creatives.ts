import { ADVERTISERS } from '../data/network.ts';
import type { SimulatedAdGroup } from './campaigns.ts';

const FORMATS = [
  { code: 'hero', name: 'Hero Image' },
  { code: 'tile', name: 'Tile Image' },
  { code: 'vid06', name: 'Video 6s', seconds: 6 },
  { code: 'vid15', name: 'Video 15s', seconds: 15 },
  { code: 'vid30', name: 'Video 30s', seconds: 30 },
] as const;

/** @returns the rows of the load file `creatives`: one per brand and format, by advertiser */
export function makeCreatives() {
  return ADVERTISERS.flatMap((advertiser) =>
    advertiser.brands.flatMap((brand) =>
      FORMATS.map((format) => ({
        key: creativeKey(advertiser.id, brand.name, format.code),
        name: `${brand.name} – ${format.name}`,
        advertiserId: advertiser.id,
      })),
    ),
  );
}

/**
 * @returns the creatives of an ad group, the most frequent first: videos of that length, and images without `seconds`; product listing ads (pla) show the
 * product's own image and have none
 */
export function creativesOf({ campaign, advertiser, brand }: SimulatedAdGroup): { key: string; seconds?: number }[] {
  if (campaign.experience === 'pla') return [];
  const formats = campaign.theme.startsWith('Video') ? [...FORMATS].reverse() : FORMATS;
  return formats.map((format) => ({
    key: creativeKey(advertiser.id, brand, format.code),
    ...('seconds' in format ? { seconds: format.seconds } : {}),
  }));
}

function creativeKey(advertiserId: number, brand: string, format: string): string {
  return `crv-${advertiserId}-${brand.toLowerCase().replaceAll(' ', '-')}-${format}`;
}
