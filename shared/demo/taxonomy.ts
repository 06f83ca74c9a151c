/** What one sub-commodity's products are made of: each product is a brand, a variant, this noun and a size. */
export interface SubCommodity {
  readonly name: string;
  readonly noun: string;
  readonly variants: readonly string[];
  readonly sizes: readonly string[];
  /** Shelf price of the smallest size, in cents. */
  readonly price: number;
}

export interface Commodity {
  readonly department: string;
  readonly name: string;
  /** Month (1–12) in which demand is highest. */
  readonly peakMonth: number;
  /** What shoppers search for, the most frequent first. */
  readonly keywords: readonly string[];
  readonly subCommodities: readonly SubCommodity[];
}

const sub = (
  name: string,
  noun: string,
  price: number,
  sizes: readonly string[],
  variants: readonly string[],
): SubCommodity => ({ name, noun, variants, sizes, price });

/** The shelf of the demo's retailer, as far as its advertisers fill it. */
export const COMMODITIES: readonly Commodity[] = [
  {
    department: 'Grocery',
    name: 'Salty Snacks',
    peakMonth: 7,
    keywords: [
      'chips',
      'potato chips',
      'tortilla chips',
      'popcorn',
      'snacks',
      'pretzels',
      'party snacks',
      'kettle chips',
    ],
    subCommodities: [
      sub(
        'Potato Chips',
        'Potato Chips',
        379,
        ['5 oz', '8 oz', '13 oz'],
        [
          'Sea Salt',
          'Sour Cream & Onion',
          'Smoky Barbecue',
          'Salt & Vinegar',
          'Jalapeño',
          'Cheddar',
          'Dill Pickle',
          'Rippled Original',
        ],
      ),
      sub(
        'Tortilla Chips',
        'Tortilla Chips',
        349,
        ['9 oz', '12 oz', '18 oz'],
        ['Restaurant Style', 'Blue Corn', 'Hint of Lime', 'Multigrain', 'Nacho Cheese', 'Chili Lime', 'Dipping Cups'],
      ),
      sub(
        'Popcorn',
        'Popcorn',
        329,
        ['4.5 oz', '7 oz', '10 oz'],
        ['Butter', 'White Cheddar', 'Kettle Corn', 'Lightly Salted', 'Caramel', 'Rosemary & Olive Oil'],
      ),
      sub(
        'Pretzels',
        'Pretzels',
        299,
        ['10 oz', '16 oz'],
        ['Twists', 'Sticks', 'Sourdough Nuggets', 'Honey Mustard', 'Thins', 'Everything'],
      ),
    ],
  },
  {
    department: 'Grocery',
    name: 'Cookies & Crackers',
    peakMonth: 9,
    keywords: [
      'crackers',
      'cookies',
      'chocolate chip cookies',
      'lunchbox snacks',
      'gluten free crackers',
      'graham crackers',
    ],
    subCommodities: [
      sub(
        'Crackers',
        'Crackers',
        339,
        ['7 oz', '12 oz'],
        ['Sea Salt', 'Cracked Pepper', 'Whole Wheat', 'Rosemary', 'Cheddar', 'Seeded'],
      ),
      sub(
        'Cookies',
        'Cookies',
        389,
        ['8 oz', '13 oz'],
        ['Chocolate Chip', 'Oatmeal Raisin', 'Double Fudge', 'Lemon Thins', 'Ginger Snap', 'Vanilla Sandwich'],
      ),
    ],
  },
  {
    department: 'Grocery',
    name: 'Cold Cereal',
    peakMonth: 9,
    keywords: ['cereal', 'granola', 'kids cereal', 'high fiber cereal', 'breakfast', 'oat cereal'],
    subCommodities: [
      sub(
        'Family Cereal',
        'Cereal',
        399,
        ['11 oz', '18 oz'],
        ['Honey Oat', 'Cinnamon Squares', 'Frosted Wheat', 'Toasted Rice', 'Cocoa Oat Rings', 'Maple Pecan'],
      ),
      sub(
        'Granola',
        'Granola',
        479,
        ['11 oz', '22 oz'],
        ['Almond & Honey', 'Dark Chocolate', 'Vanilla Pecan', 'Pumpkin Seed', 'Blueberry', 'Coconut Cashew'],
      ),
      sub(
        'Snack Bars',
        'Bars',
        369,
        ['6 ct', '12 ct'],
        ['Peanut Butter', 'Oats & Honey', 'Apple Cinnamon', 'Chocolate Almond', 'Cranberry'],
      ),
    ],
  },
  {
    department: 'Grocery',
    name: 'Coffee',
    peakMonth: 12,
    keywords: [
      'coffee',
      'ground coffee',
      'coffee pods',
      'dark roast coffee',
      'decaf coffee',
      'cold brew',
      'espresso beans',
    ],
    subCommodities: [
      sub(
        'Ground Coffee',
        'Ground Coffee',
        799,
        ['12 oz', '28 oz'],
        ['Breakfast Blend', 'Dark Roast', 'Decaf House', 'Hazelnut', 'Sumatra', 'French Vanilla'],
      ),
      sub(
        'Coffee Pods',
        'Coffee Pods',
        899,
        ['12 ct', '24 ct', '48 ct'],
        ['Breakfast Blend', 'Dark Roast', 'Caramel', 'Half Caff', 'Pumpkin Spice'],
      ),
      sub('Cold Brew', 'Cold Brew', 549, ['32 fl oz', '48 fl oz'], ['Black', 'Sweet Cream', 'Mocha', 'Oat Latte']),
    ],
  },
  {
    department: 'Grocery',
    name: 'Pasta & Sauce',
    peakMonth: 1,
    keywords: ['pasta sauce', 'spaghetti', 'pasta', 'marinara', 'alfredo sauce', 'penne', 'gluten free pasta'],
    subCommodities: [
      sub(
        'Dry Pasta',
        'Pasta',
        179,
        ['16 oz', '32 oz'],
        ['Spaghetti', 'Penne', 'Rotini', 'Whole Wheat Linguine', 'Farfalle', 'Chickpea Fusilli'],
      ),
      sub(
        'Pasta Sauce',
        'Pasta Sauce',
        329,
        ['15 oz', '24 oz'],
        ['Marinara', 'Tomato Basil', 'Roasted Garlic', 'Four Cheese Alfredo', 'Arrabbiata', 'Vodka'],
      ),
    ],
  },
  {
    department: 'Grocery',
    name: 'Water & Soft Drinks',
    peakMonth: 7,
    keywords: ['sparkling water', 'soda', 'seltzer', 'ginger ale', 'zero sugar soda', 'flavored water', 'mixers'],
    subCommodities: [
      sub(
        'Sparkling Water',
        'Sparkling Water',
        449,
        ['8 ct', '12 ct'],
        ['Lime', 'Grapefruit', 'Black Cherry', 'Lemon', 'Peach', 'Cucumber Mint', 'Unflavored'],
      ),
      sub(
        'Soft Drinks',
        'Soda',
        399,
        ['6 ct', '12 ct', '2 L'],
        ['Cola', 'Zero Cola', 'Ginger Ale', 'Root Beer', 'Orange', 'Lemon Lime'],
      ),
    ],
  },
  {
    department: 'Grocery',
    name: 'Juice & Tea',
    peakMonth: 6,
    keywords: ['orange juice', 'juice', 'iced tea', 'lemonade', 'apple juice', 'kids juice'],
    subCommodities: [
      sub(
        'Refrigerated Juice',
        'Juice',
        429,
        ['52 fl oz', '89 fl oz'],
        ['Orange No Pulp', 'Orange Some Pulp', 'Apple', 'Carrot Mango', 'Grapefruit'],
      ),
      sub(
        'Iced Tea',
        'Iced Tea',
        279,
        ['59 fl oz', '128 fl oz'],
        ['Sweet', 'Unsweetened', 'Peach', 'Half & Half Lemonade', 'Raspberry'],
      ),
    ],
  },
  {
    department: 'Grocery',
    name: 'Candy & Chocolate',
    peakMonth: 10,
    keywords: ['chocolate', 'candy', 'dark chocolate', 'gummies', 'caramels'],
    subCommodities: [
      sub(
        'Chocolate',
        'Chocolate',
        349,
        ['3.5 oz', '9 oz'],
        ['Milk', 'Dark 70%', 'Sea Salt Caramel', 'Hazelnut', 'Orange Peel'],
      ),
      sub('Gummies', 'Gummies', 279, ['5 oz', '14 oz'], ['Bears', 'Sour Worms', 'Peach Rings', 'Berry Mix']),
    ],
  },
  {
    department: 'Dairy',
    name: 'Yogurt',
    peakMonth: 1,
    keywords: ['yogurt', 'greek yogurt', 'kids yogurt', 'yogurt drinks', 'vanilla yogurt', 'dairy free yogurt'],
    subCommodities: [
      sub(
        'Greek Yogurt',
        'Greek Yogurt',
        129,
        ['5.3 oz', '32 oz'],
        ['Plain', 'Vanilla', 'Strawberry', 'Blueberry', 'Honey', 'Peach', 'Black Cherry'],
      ),
      sub(
        'Drinkable Yogurt',
        'Yogurt Drink',
        199,
        ['7 fl oz', '6 ct'],
        ['Strawberry Banana', 'Mixed Berry', 'Mango', 'Vanilla'],
      ),
    ],
  },
  {
    department: 'Dairy',
    name: 'Milk & Cream',
    peakMonth: 11,
    keywords: ['milk', 'half and half', 'chocolate milk', 'coffee creamer', 'lactose free milk', 'butter'],
    subCommodities: [
      sub(
        'Milk',
        'Milk',
        319,
        ['64 fl oz', '128 fl oz'],
        ['Whole', 'Reduced Fat', 'Fat Free', 'Lactose Free', 'Chocolate'],
      ),
      sub(
        'Creamer',
        'Creamer',
        399,
        ['32 fl oz', '64 fl oz'],
        ['Sweet Cream', 'Hazelnut', 'French Vanilla', 'Caramel'],
      ),
      sub('Butter', 'Butter', 449, ['8 oz', '16 oz'], ['Salted', 'Unsalted', 'Spreadable', 'Cultured']),
    ],
  },
  {
    department: 'Dairy',
    name: 'Cheese',
    peakMonth: 12,
    keywords: ['shredded cheese', 'cheese', 'cheddar', 'string cheese', 'mozzarella', 'cheese slices'],
    subCommodities: [
      sub(
        'Shredded Cheese',
        'Shredded Cheese',
        349,
        ['8 oz', '16 oz', '32 oz'],
        ['Sharp Cheddar', 'Mexican Blend', 'Mozzarella', 'Colby Jack', 'Parmesan'],
      ),
      sub(
        'Specialty Cheese',
        'Cheese',
        599,
        ['5 oz', '8 oz'],
        ['Aged Cheddar', 'Brie', 'Smoked Gouda', 'Blue Crumbles', 'Goat Log'],
      ),
    ],
  },
  {
    department: 'Frozen',
    name: 'Ice Cream & Novelties',
    peakMonth: 7,
    keywords: ['ice cream', 'vanilla ice cream', 'ice cream bars', 'dairy free ice cream', 'ice pops', 'gelato'],
    subCommodities: [
      sub(
        'Ice Cream',
        'Ice Cream',
        499,
        ['16 fl oz', '48 fl oz'],
        [
          'Vanilla Bean',
          'Cookies & Cream',
          'Mint Chip',
          'Butter Pecan',
          'Strawberry',
          'Salted Caramel',
          'Coffee Toffee',
        ],
      ),
      sub(
        'Frozen Bars',
        'Frozen Bars',
        549,
        ['4 ct', '8 ct'],
        ['Fudge', 'Mango Sorbet', 'Almond Crunch', 'Lemonade', 'Orange Cream'],
      ),
    ],
  },
  {
    department: 'Frozen',
    name: 'Frozen Pizza & Meals',
    peakMonth: 2,
    keywords: ['frozen pizza', 'pizza', 'frozen meals', 'frozen lasagna', 'gluten free pizza', 'quick dinner'],
    subCommodities: [
      sub(
        'Frozen Pizza',
        'Pizza',
        649,
        ['12 in', '16 in'],
        ['Four Cheese', 'Pepperoni', 'Margherita', 'Supreme', 'Spinach & Ricotta', 'Meat Feast'],
      ),
      sub(
        'Frozen Entrées',
        'Entrée',
        449,
        ['10 oz', '38 oz'],
        ['Meat Lasagna', 'Chicken Parmesan', 'Mac & Cheese', 'Vegetable Korma', 'Beef Ragù'],
      ),
    ],
  },
  {
    department: 'Bakery',
    name: 'Bread & Rolls',
    peakMonth: 11,
    keywords: ['bread', 'sandwich bread', 'hamburger buns', 'bagels', 'sourdough', 'whole wheat bread'],
    subCommodities: [
      sub(
        'Sandwich Bread',
        'Bread',
        349,
        ['20 oz', '24 oz'],
        ['Honey Wheat', 'Country White', 'Sourdough', '12 Grain', 'Oat & Walnut'],
      ),
      sub(
        'Buns & Bagels',
        'Bakes',
        379,
        ['6 ct', '8 ct'],
        ['Brioche Buns', 'Sesame Buns', 'Plain Bagels', 'Everything Bagels', 'Cinnamon Raisin Bagels'],
      ),
    ],
  },
  {
    department: 'Produce',
    name: 'Packaged Salads',
    peakMonth: 5,
    keywords: ['salad kit', 'spinach', 'romaine', 'baby greens'],
    subCommodities: [
      sub(
        'Salad Kits',
        'Salad Kit',
        399,
        ['10 oz', '13 oz'],
        ['Caesar', 'Southwest', 'Sunflower Crunch', 'Asian Sesame'],
      ),
      sub('Greens', 'Greens', 329, ['5 oz', '10 oz'], ['Baby Spinach', 'Spring Mix', 'Arugula', 'Chopped Romaine']),
    ],
  },
  {
    department: 'Household',
    name: 'Laundry Care',
    peakMonth: 4,
    keywords: [
      'laundry detergent',
      'detergent packs',
      'fabric softener',
      'dryer sheets',
      'stain remover',
      'free and clear detergent',
    ],
    subCommodities: [
      sub(
        'Liquid Detergent',
        'Laundry Detergent',
        899,
        ['46 fl oz', '92 fl oz', '150 fl oz'],
        ['Fresh Linen', 'Free & Clear', 'Mountain Air', 'Lavender', 'Cold Water'],
      ),
      sub(
        'Detergent Packs',
        'Detergent Packs',
        1099,
        ['20 ct', '42 ct', '81 ct'],
        ['Fresh Linen', 'Free & Clear', 'Stain Lift', 'Spring Rain'],
      ),
      sub(
        'Fabric Softener',
        'Fabric Softener',
        599,
        ['48 fl oz', '100 fl oz'],
        ['Fresh Linen', 'Lavender', 'Vanilla Amber'],
      ),
    ],
  },
  {
    department: 'Household',
    name: 'Dish & Surface Care',
    peakMonth: 3,
    keywords: ['dish soap', 'dishwasher tabs', 'all purpose cleaner', 'paper towels', 'disinfecting wipes'],
    subCommodities: [
      sub('Dish Soap', 'Dish Soap', 329, ['16 fl oz', '28 fl oz'], ['Lemon', 'Original', 'Green Apple', 'Sensitive']),
      sub('Dishwasher Tabs', 'Dishwasher Tabs', 999, ['18 ct', '43 ct'], ['Lemon', 'Fresh', 'Deep Clean']),
      sub('Surface Wipes', 'Cleaning Wipes', 449, ['35 ct', '75 ct'], ['Lemon', 'Fresh Linen', 'Lavender']),
    ],
  },
  {
    department: 'Health & Beauty',
    name: 'Hair Care',
    peakMonth: 5,
    keywords: ['shampoo', 'conditioner', 'dry shampoo', 'curly hair shampoo', 'hair mask'],
    subCommodities: [
      sub(
        'Shampoo',
        'Shampoo',
        649,
        ['12 fl oz', '25 fl oz'],
        ['Daily Moisture', 'Color Safe', 'Volume', 'Curl Define', 'Scalp Balance'],
      ),
      sub(
        'Conditioner',
        'Conditioner',
        649,
        ['12 fl oz', '25 fl oz'],
        ['Daily Moisture', 'Color Safe', 'Repair', 'Curl Define'],
      ),
    ],
  },
  {
    department: 'Health & Beauty',
    name: 'Oral Care',
    peakMonth: 2,
    keywords: ['toothpaste', 'toothbrush', 'mouthwash', 'floss', 'whitening toothpaste'],
    subCommodities: [
      sub('Toothpaste', 'Toothpaste', 429, ['4.1 oz', '6.4 oz'], ['Cool Mint', 'Whitening', 'Sensitive', 'Kids Berry']),
      sub('Mouthwash', 'Mouthwash', 549, ['16 fl oz', '33 fl oz'], ['Cool Mint', 'Alcohol Free', 'Fresh Citrus']),
    ],
  },
  {
    department: 'Pet',
    name: 'Dog Food & Treats',
    peakMonth: 10,
    keywords: ['dog food', 'dog treats', 'puppy food', 'grain free dog food', 'wet dog food', 'dental chews'],
    subCommodities: [
      sub(
        'Dry Dog Food',
        'Dog Food',
        1499,
        ['5 lb', '15 lb', '30 lb'],
        ['Chicken & Rice', 'Salmon', 'Lamb & Oats', 'Puppy', 'Senior'],
      ),
      sub(
        'Dog Treats',
        'Dog Treats',
        499,
        ['6 oz', '16 oz'],
        ['Peanut Butter', 'Bacon', 'Sweet Potato', 'Dental Chews'],
      ),
    ],
  },
  {
    department: 'Pet',
    name: 'Cat Food & Litter',
    peakMonth: 10,
    keywords: ['cat food', 'cat litter', 'wet cat food', 'kitten food', 'cat treats'],
    subCommodities: [
      sub(
        'Wet Cat Food',
        'Cat Food',
        149,
        ['3 oz', '12 ct'],
        ['Chicken Pâté', 'Tuna Shreds', 'Salmon Flakes', 'Turkey'],
      ),
      sub('Cat Litter', 'Cat Litter', 899, ['14 lb', '28 lb'], ['Unscented', 'Multi-Cat', 'Lightweight']),
    ],
  },
  {
    department: 'Baby',
    name: 'Diapers & Wipes',
    peakMonth: 8,
    keywords: ['diapers', 'baby wipes', 'size 4 diapers', 'training pants', 'newborn diapers', 'sensitive wipes'],
    subCommodities: [
      sub(
        'Diapers',
        'Diapers',
        1099,
        ['27 ct', '84 ct', '148 ct'],
        ['Newborn', 'Size 2', 'Size 3', 'Size 4', 'Size 5'],
      ),
      sub('Wipes', 'Baby Wipes', 299, ['64 ct', '384 ct'], ['Sensitive', 'Fresh', 'Unscented']),
    ],
  },
];

const DEPARTMENTS = [...new Set(COMMODITIES.map((commodity) => commodity.department))];

/** Ids of the taxonomy are digits: two for the department, two more for the commodity, two more for the sub-commodity. */
export function taxonomyIds(commodity: Commodity, subCommodity: SubCommodity) {
  const departmentId = twoDigits(DEPARTMENTS.indexOf(commodity.department) + 1);
  const commodityId = departmentId + twoDigits(COMMODITIES.indexOf(commodity) + 1);
  const subCommodityId = commodityId + twoDigits(commodity.subCommodities.indexOf(subCommodity) + 1);
  return { departmentId, commodityId, subCommodityId };
}

export function findCommodity(name: string): Commodity {
  const found = COMMODITIES.find((commodity) => commodity.name === name);
  if (found === undefined) throw new Error(`the taxonomy has no commodity ${name}`);
  return found;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
