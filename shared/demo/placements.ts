import type { Experience } from '../catalog/tables.ts';

/** Where on the retailer's site ads are shown; `weight` is the share of traffic among the placements of an experience. */
export interface Placement {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly experiences: readonly Experience[];
  readonly active: boolean;
  readonly priceFloor: number;
  readonly weight: number;
  /** Clicks per impression, against the experience's average. */
  readonly attraction: number;
  /** Shown in answer to a search, so its facts have a keyword (in pla). */
  readonly search: boolean;
}

const placement = (
  id: number,
  name: string,
  experiences: readonly Experience[],
  priceFloor: number,
  weight: number,
  attraction: number,
  description: string,
): Placement => ({
  id,
  name,
  description,
  experiences,
  active: weight > 0,
  priceFloor,
  weight,
  attraction,
  search: name.startsWith('Search'),
});

export const PLACEMENTS: readonly Placement[] = [
  placement(11, 'Search Results – Top Row', ['pla'], 0.45, 34, 1.6, 'First row of a search.'),
  placement(12, 'Search Results – In Grid', ['pla'], 0.3, 28, 0.9, 'Between the organic results of a search.'),
  placement(13, 'Category Browse – In Grid', ['pla'], 0.3, 16, 0.8, 'Between the products of a category page.'),
  placement(14, 'Product Page – Similar Items', ['pla'], 0.25, 9, 0.6, 'Below the details of a similar product.'),
  placement(15, 'Cart – Before You Go', ['pla', 'carousel'], 0.35, 6, 1.2, 'Beside the cart, before checkout.'),
  placement(16, 'Savings Hub', ['pla', 'carousel'], 0.25, 7, 1.1, 'Page of the week’s digital coupons.'),
  placement(21, 'Home Page – Hero', ['toa'], 6, 30, 1.4, 'Full width, first screen of the home page.'),
  placement(22, 'Category – Leaderboard', ['toa'], 4, 26, 0.9, 'Above the products of a category page.'),
  placement(23, 'Search – Banner', ['toa'], 4.5, 24, 1.1, 'Above the results of a search.'),
  placement(24, 'Order Confirmation – Banner', ['toa'], 3, 12, 0.7, 'After checkout.'),
  placement(25, 'Weekly Ad – Skyscraper', ['toa'], 2.5, 0, 1, 'Beside the weekly ad; retired.'),
  placement(31, 'Home Page – Carousel', ['carousel'], 5, 38, 1.1, 'Second screen of the home page.'),
  placement(32, 'Product Page – Carousel', ['carousel'], 3.5, 24, 0.8, 'Bought together with this product.'),
  placement(33, 'Start My Cart – Carousel', ['carousel'], 4, 20, 1.5, 'Usual purchases, offered at sign-in.'),
];

/** Store brands of the retailer's divisions, largest first. */
export const BANNERS = ['Oakhollow', 'Fennimart', 'Larderline', 'Quaymarket', 'Birchgate'] as const;

export function placementsOf(experience: Experience): Placement[] {
  return PLACEMENTS.filter((it) => it.active && it.experiences.includes(experience));
}
