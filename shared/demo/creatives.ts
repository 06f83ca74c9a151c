import type { Flight } from './campaigns.ts';
import { ADVERTISERS } from './network.ts';

/** An ad as a row of the load file `creatives`; a video's length is in its name. */
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

/** @returns every brand's creatives in every format, by advertiser. */
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

/** A creative as an ad group shows it; without `seconds` it is an image. */
export interface ShownCreative {
  readonly key: string;
  readonly seconds?: number;
}

/** @returns the creatives of a flight, the most shown first. Product listing ads have none: they show the product's own picture. */
export function creativesOf({ plan, advertiser, brand }: Flight): ShownCreative[] {
  if (plan.experience === 'pla') return [];
  const formats = plan.theme.startsWith('Video') ? [...FORMATS].reverse() : FORMATS;
  return formats.map((format) => ({
    key: creativeKey(advertiser.id, brand, format.code),
    ...('seconds' in format ? { seconds: format.seconds } : {}),
  }));
}

function creativeKey(advertiserId: number, brand: string, format: string): string {
  return `crv-${advertiserId}-${brand.toLowerCase().replaceAll(' ', '-')}-${format}`;
}
