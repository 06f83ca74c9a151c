import { type Commodity, commodity, sub } from './shelf.ts';

/** What is not eaten, and what pets and babies need. */
export const HOUSEHOLD: readonly Commodity[] = [
  commodity(
    'Household',
    'Laundry Care',
    4,
    'laundry detergent, detergent packs, fabric softener, dryer sheets, stain remover, free and clear detergent',
    [
      sub(
        'Liquid Detergent',
        'Laundry Detergent',
        899,
        '46 fl oz, 92 fl oz, 150 fl oz',
        'Fresh Linen, Free & Clear, Mountain Air, Lavender, Cold Water',
      ),
      sub(
        'Detergent Packs',
        'Detergent Packs',
        1099,
        '20 ct, 42 ct, 81 ct',
        'Fresh Linen, Free & Clear, Stain Lift, Spring Rain',
      ),
      sub('Fabric Softener', 'Fabric Softener', 599, '48 fl oz, 100 fl oz', 'Fresh Linen, Lavender, Vanilla Amber'),
    ],
  ),
  commodity(
    'Household',
    'Dish & Surface Care',
    3,
    'dish soap, dishwasher tabs, all purpose cleaner, paper towels, disinfecting wipes',
    [
      sub('Dish Soap', 'Dish Soap', 329, '16 fl oz, 28 fl oz', 'Lemon, Original, Green Apple, Sensitive'),
      sub('Dishwasher Tabs', 'Dishwasher Tabs', 999, '18 ct, 43 ct', 'Lemon, Fresh, Deep Clean'),
      sub('Surface Wipes', 'Cleaning Wipes', 449, '35 ct, 75 ct', 'Lemon, Fresh Linen, Lavender'),
    ],
  ),
  commodity('Health & Beauty', 'Hair Care', 5, 'shampoo, conditioner, dry shampoo, curly hair shampoo, hair mask', [
    sub(
      'Shampoo',
      'Shampoo',
      649,
      '12 fl oz, 25 fl oz',
      'Daily Moisture, Color Safe, Volume, Curl Define, Scalp Balance',
    ),
    sub('Conditioner', 'Conditioner', 649, '12 fl oz, 25 fl oz', 'Daily Moisture, Color Safe, Repair, Curl Define'),
  ]),
  commodity('Health & Beauty', 'Oral Care', 2, 'toothpaste, toothbrush, mouthwash, floss, whitening toothpaste', [
    sub('Toothpaste', 'Toothpaste', 429, '4.1 oz, 6.4 oz', 'Cool Mint, Whitening, Sensitive, Kids Berry'),
    sub('Mouthwash', 'Mouthwash', 549, '16 fl oz, 33 fl oz', 'Cool Mint, Alcohol Free, Fresh Citrus'),
  ]),
  commodity(
    'Pet',
    'Dog Food & Treats',
    10,
    'dog food, dog treats, puppy food, grain free dog food, wet dog food, dental chews',
    [
      sub('Dry Dog Food', 'Dog Food', 1499, '5 lb, 15 lb, 30 lb', 'Chicken & Rice, Salmon, Lamb & Oats, Puppy, Senior'),
      sub('Dog Treats', 'Dog Treats', 499, '6 oz, 16 oz', 'Peanut Butter, Bacon, Sweet Potato, Dental Chews'),
    ],
  ),
  commodity('Pet', 'Cat Food & Litter', 10, 'cat food, cat litter, wet cat food, kitten food, cat treats', [
    sub('Wet Cat Food', 'Cat Food', 149, '3 oz, 12 ct', 'Chicken Pâté, Tuna Shreds, Salmon Flakes, Turkey'),
    sub('Cat Litter', 'Cat Litter', 899, '14 lb, 28 lb', 'Unscented, Multi-Cat, Lightweight'),
  ]),
  commodity(
    'Baby',
    'Diapers & Wipes',
    8,
    'diapers, baby wipes, size 4 diapers, training pants, newborn diapers, sensitive wipes',
    [
      sub('Diapers', 'Diapers', 1099, '27 ct, 84 ct, 148 ct', 'Newborn, Size 2, Size 3, Size 4, Size 5'),
      sub('Wipes', 'Baby Wipes', 299, '64 ct, 384 ct', 'Sensitive, Fresh, Unscented'),
    ],
  ),
];
