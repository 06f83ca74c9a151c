import { ADVERTISERS } from './data/network.ts';

const FORMATS: readonly { code: string; name: string; seconds?: number }[] = [
  { code: 'hero', name: 'Hero Image' },
  { code: 'tile', name: 'Tile Image' },
  { code: 'vid06', name: 'Video 6s', seconds: 6 },
  { code: 'vid15', name: 'Video 15s', seconds: 15 },
  { code: 'vid30', name: 'Video 30s', seconds: 30 },
];

/** @returns the rows of the load file `creatives`: one per brand and format, by advertiser */
export function makeCreatives() {
  return ADVERTISERS.flatMap(({ id, brands }) => brands.flatMap((brand) => creativesOf(id, brand.name))).map(
    ({ key, name, advertiserId }) => ({ key, name, advertiserId }),
  );
}

/** @returns the creatives of a brand: images, and videos of so many `seconds` */
export function creativesOf(advertiserId: number, brand: string) {
  return FORMATS.map(({ code, name, ...video }) => ({
    key: `crv-${advertiserId}-${brand.toLowerCase().replaceAll(' ', '-')}-${code}`,
    name: `${brand} – ${name}`,
    advertiserId,
    ...video,
  }));
}
