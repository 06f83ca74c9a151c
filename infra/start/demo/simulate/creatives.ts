import { ADVERTISERS } from '../data/network.ts';
import type { SimulatedAdGroup } from './campaigns.ts';

/** A creative as a row of the load file `creatives`. */
export interface Creative {
  readonly key: string;
  readonly name: string;
  readonly advertiserId: number;
}

const FORMATS = [
  { code: 'hero', name: 'Hero Image' },
  { code: 'tile', name: 'Tile Image' },
  { code: 'vid06', name: 'Video 6s', seconds: 6 },
  { code: 'vid15', name: 'Video 15s', seconds: 15 },
  { code: 'vid30', name: 'Video 30s', seconds: 30 },
] as const;

/** @returns one creative per brand and format, by advertiser */
export function makeCreatives(): Creative[] {
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

/** A creative that an ad group shows: a video of that length, or without `seconds` an image. */
export interface ShownCreative {
  readonly key: string;
  readonly seconds?: number;
}

/** @returns the creatives of an ad group, the most frequent first; product listing ads (pla) show the product's own image and have none */
export function creativesOf({ campaign, advertiser, brand }: SimulatedAdGroup): ShownCreative[] {
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
