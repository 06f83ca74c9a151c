import { type Commodity, commodity, sub } from './shelf.ts';

/** The center store: what keeps on the shelf. */
export const GROCERY: readonly Commodity[] = [
  commodity(
    'Grocery',
    'Salty Snacks',
    7,
    'chips, potato chips, tortilla chips, popcorn, snacks, pretzels, party snacks, kettle chips',
    [
      sub(
        'Potato Chips',
        'Potato Chips',
        379,
        '5 oz, 8 oz, 13 oz',
        'Sea Salt, Sour Cream & Onion, Smoky Barbecue, Salt & Vinegar, Jalapeño, Cheddar, Dill Pickle, Rippled Original',
      ),
      sub(
        'Tortilla Chips',
        'Tortilla Chips',
        349,
        '9 oz, 12 oz, 18 oz',
        'Restaurant Style, Blue Corn, Hint of Lime, Multigrain, Nacho Cheese, Chili Lime, Dipping Cups',
      ),
      sub(
        'Popcorn',
        'Popcorn',
        329,
        '4.5 oz, 7 oz, 10 oz',
        'Butter, White Cheddar, Kettle Corn, Lightly Salted, Caramel, Rosemary & Olive Oil',
      ),
      sub(
        'Pretzels',
        'Pretzels',
        299,
        '10 oz, 16 oz',
        'Twists, Sticks, Sourdough Nuggets, Honey Mustard, Thins, Everything',
      ),
    ],
  ),
  commodity(
    'Grocery',
    'Cookies & Crackers',
    9,
    'crackers, cookies, chocolate chip cookies, lunchbox snacks, gluten free crackers, graham crackers',
    [
      sub(
        'Crackers',
        'Crackers',
        339,
        '7 oz, 12 oz',
        'Sea Salt, Cracked Pepper, Whole Wheat, Rosemary, Cheddar, Seeded',
      ),
      sub(
        'Cookies',
        'Cookies',
        389,
        '8 oz, 13 oz',
        'Chocolate Chip, Oatmeal Raisin, Double Fudge, Lemon Thins, Ginger Snap, Vanilla Sandwich',
      ),
    ],
  ),
  commodity('Grocery', 'Cold Cereal', 9, 'cereal, granola, kids cereal, high fiber cereal, breakfast, oat cereal', [
    sub(
      'Family Cereal',
      'Cereal',
      399,
      '11 oz, 18 oz',
      'Honey Oat, Cinnamon Squares, Frosted Wheat, Toasted Rice, Cocoa Oat Rings, Maple Pecan',
    ),
    sub(
      'Granola',
      'Granola',
      479,
      '11 oz, 22 oz',
      'Almond & Honey, Dark Chocolate, Vanilla Pecan, Pumpkin Seed, Blueberry, Coconut Cashew',
    ),
    sub(
      'Snack Bars',
      'Bars',
      369,
      '6 ct, 12 ct',
      'Peanut Butter, Oats & Honey, Apple Cinnamon, Chocolate Almond, Cranberry',
    ),
  ]),
  commodity(
    'Grocery',
    'Coffee',
    12,
    'coffee, ground coffee, coffee pods, dark roast coffee, decaf coffee, cold brew, espresso beans',
    [
      sub(
        'Ground Coffee',
        'Ground Coffee',
        799,
        '12 oz, 28 oz',
        'Breakfast Blend, Dark Roast, Decaf House, Hazelnut, Sumatra, French Vanilla',
      ),
      sub(
        'Coffee Pods',
        'Coffee Pods',
        899,
        '12 ct, 24 ct, 48 ct',
        'Breakfast Blend, Dark Roast, Caramel, Half Caff, Pumpkin Spice',
      ),
      sub('Cold Brew', 'Cold Brew', 549, '32 fl oz, 48 fl oz', 'Black, Sweet Cream, Mocha, Oat Latte'),
    ],
  ),
  commodity(
    'Grocery',
    'Pasta & Sauce',
    1,
    'pasta sauce, spaghetti, pasta, marinara, alfredo sauce, penne, gluten free pasta',
    [
      sub(
        'Dry Pasta',
        'Pasta',
        179,
        '16 oz, 32 oz',
        'Spaghetti, Penne, Rotini, Whole Wheat Linguine, Farfalle, Chickpea Fusilli',
      ),
      sub(
        'Pasta Sauce',
        'Pasta Sauce',
        329,
        '15 oz, 24 oz',
        'Marinara, Tomato Basil, Roasted Garlic, Four Cheese Alfredo, Arrabbiata, Vodka',
      ),
    ],
  ),
  commodity(
    'Grocery',
    'Water & Soft Drinks',
    7,
    'sparkling water, soda, seltzer, ginger ale, zero sugar soda, flavored water, mixers',
    [
      sub(
        'Sparkling Water',
        'Sparkling Water',
        449,
        '8 ct, 12 ct',
        'Lime, Grapefruit, Black Cherry, Lemon, Peach, Cucumber Mint, Unflavored',
      ),
      sub('Soft Drinks', 'Soda', 399, '6 ct, 12 ct, 2 L', 'Cola, Zero Cola, Ginger Ale, Root Beer, Orange, Lemon Lime'),
    ],
  ),
  commodity('Grocery', 'Juice & Tea', 6, 'orange juice, juice, iced tea, lemonade, apple juice, kids juice', [
    sub(
      'Refrigerated Juice',
      'Juice',
      429,
      '52 fl oz, 89 fl oz',
      'Orange No Pulp, Orange Some Pulp, Apple, Carrot Mango, Grapefruit',
    ),
    sub(
      'Iced Tea',
      'Iced Tea',
      279,
      '59 fl oz, 128 fl oz',
      'Sweet, Unsweetened, Peach, Half & Half Lemonade, Raspberry',
    ),
  ]),
  commodity('Grocery', 'Candy & Chocolate', 10, 'chocolate, candy, dark chocolate, gummies, caramels', [
    sub('Chocolate', 'Chocolate', 349, '3.5 oz, 9 oz', 'Milk, Dark 70%, Sea Salt Caramel, Hazelnut, Orange Peel'),
    sub('Gummies', 'Gummies', 279, '5 oz, 14 oz', 'Bears, Sour Worms, Peach Rings, Berry Mix'),
  ]),
];
