import { type Commodity, commodity, sub } from './shelf.ts';

/** What is cooled, frozen or of the day. */
export const FRESH: readonly Commodity[] = [
  commodity(
    'Dairy',
    'Yogurt',
    1,
    'yogurt, greek yogurt, kids yogurt, yogurt drinks, vanilla yogurt, dairy free yogurt',
    [
      sub(
        'Greek Yogurt',
        'Greek Yogurt',
        129,
        '5.3 oz, 32 oz',
        'Plain, Vanilla, Strawberry, Blueberry, Honey, Peach, Black Cherry',
      ),
      sub('Drinkable Yogurt', 'Yogurt Drink', 199, '7 fl oz, 6 ct', 'Strawberry Banana, Mixed Berry, Mango, Vanilla'),
    ],
  ),
  commodity(
    'Dairy',
    'Milk & Cream',
    11,
    'milk, half and half, chocolate milk, coffee creamer, lactose free milk, butter',
    [
      sub('Milk', 'Milk', 319, '64 fl oz, 128 fl oz', 'Whole, Reduced Fat, Fat Free, Lactose Free, Chocolate'),
      sub('Creamer', 'Creamer', 399, '32 fl oz, 64 fl oz', 'Sweet Cream, Hazelnut, French Vanilla, Caramel'),
      sub('Butter', 'Butter', 449, '8 oz, 16 oz', 'Salted, Unsalted, Spreadable, Cultured'),
    ],
  ),
  commodity('Dairy', 'Cheese', 12, 'shredded cheese, cheese, cheddar, string cheese, mozzarella, cheese slices', [
    sub(
      'Shredded Cheese',
      'Shredded Cheese',
      349,
      '8 oz, 16 oz, 32 oz',
      'Sharp Cheddar, Mexican Blend, Mozzarella, Colby Jack, Parmesan',
    ),
    sub('Specialty Cheese', 'Cheese', 599, '5 oz, 8 oz', 'Aged Cheddar, Brie, Smoked Gouda, Blue Crumbles, Goat Log'),
  ]),
  commodity(
    'Frozen',
    'Ice Cream & Novelties',
    7,
    'ice cream, vanilla ice cream, ice cream bars, dairy free ice cream, ice pops, gelato',
    [
      sub(
        'Ice Cream',
        'Ice Cream',
        499,
        '16 fl oz, 48 fl oz',
        'Vanilla Bean, Cookies & Cream, Mint Chip, Butter Pecan, Strawberry, Salted Caramel, Coffee Toffee',
      ),
      sub(
        'Frozen Bars',
        'Frozen Bars',
        549,
        '4 ct, 8 ct',
        'Fudge, Mango Sorbet, Almond Crunch, Lemonade, Orange Cream',
      ),
    ],
  ),
  commodity(
    'Frozen',
    'Frozen Pizza & Meals',
    2,
    'frozen pizza, pizza, frozen meals, frozen lasagna, gluten free pizza, quick dinner',
    [
      sub(
        'Frozen Pizza',
        'Pizza',
        649,
        '12 in, 16 in',
        'Four Cheese, Pepperoni, Margherita, Supreme, Spinach & Ricotta, Meat Feast',
      ),
      sub(
        'Frozen Entrées',
        'Entrée',
        449,
        '10 oz, 38 oz',
        'Meat Lasagna, Chicken Parmesan, Mac & Cheese, Vegetable Korma, Beef Ragù',
      ),
    ],
  ),
  commodity(
    'Bakery',
    'Bread & Rolls',
    11,
    'bread, sandwich bread, hamburger buns, bagels, sourdough, whole wheat bread',
    [
      sub(
        'Sandwich Bread',
        'Bread',
        349,
        '20 oz, 24 oz',
        'Honey Wheat, Country White, Sourdough, 12 Grain, Oat & Walnut',
      ),
      sub(
        'Buns & Bagels',
        'Bakes',
        379,
        '6 ct, 8 ct',
        'Brioche Buns, Sesame Buns, Plain Bagels, Everything Bagels, Cinnamon Raisin Bagels',
      ),
    ],
  ),
  commodity('Produce', 'Packaged Salads', 5, 'salad kit, spinach, romaine, baby greens', [
    sub('Salad Kits', 'Salad Kit', 399, '10 oz, 13 oz', 'Caesar, Southwest, Sunflower Crunch, Asian Sesame'),
    sub('Greens', 'Greens', 329, '5 oz, 10 oz', 'Baby Spinach, Spring Mix, Arugula, Chopped Romaine'),
  ]),
];
