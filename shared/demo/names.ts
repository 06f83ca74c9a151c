/** Words that people and places of the demo are named after. No combination stands for anybody. */
export const FIRST_NAMES = [
  'Amara',
  'Benicio',
  'Calla',
  'Dmitri',
  'Elspeth',
  'Farid',
  'Greta',
  'Hollis',
  'Imani',
  'Jonah',
  'Keiko',
  'Lucan',
  'Maribel',
  'Nadia',
  'Oskar',
  'Priya',
  'Quentin',
  'Rosalind',
  'Soren',
  'Tamsin',
  'Umar',
  'Verity',
  'Wendell',
  'Xiomara',
  'Yusuf',
  'Zelda',
] as const;

export const LAST_NAMES = [
  'Abernathy',
  'Bellweather',
  'Castellan',
  'Dunmore',
  'Eastvale',
  'Fairbrook',
  'Greywood',
  'Holloway',
  'Ibarra',
  'Janssen',
  'Kowalczyk',
  'Lindqvist',
  'Marchetti',
  'Nakagawa',
  'Okonjo',
  'Pemberly',
  'Quillfeather',
  'Ravensdale',
  'Stonebridge',
  'Thackery',
  'Underhill',
  'Vandermeer',
  'Whitlock',
  'Yarrow',
  'Zimmerly',
] as const;

export const STREETS = [
  'Alder Mill Road',
  'Brickyard Lane',
  'Canal Terrace',
  'Dovecote Avenue',
  'Elm Orchard Way',
  'Foundry Street',
  'Granary Court',
  'Harbor View Drive',
  'Juniper Parkway',
  'Kiln Street',
  'Lantern Hill',
  'Market Wharf',
] as const;

/** Cities with a state and the first digits of a postal code; the cities do not exist. */
export const CITIES = [
  { city: 'Maplecross', state: 'OH', postal: '450' },
  { city: 'New Tamarack', state: 'NY', postal: '139' },
  { city: 'Port Wexley', state: 'MA', postal: '027' },
  { city: 'Cedar Junction Falls', state: 'PA', postal: '168' },
  { city: 'Eastmere', state: 'NJ', postal: '085' },
  { city: 'Larkfield Springs', state: 'VA', postal: '229' },
  { city: 'Stonehollow', state: 'GA', postal: '308' },
] as const;

/** Companies that work for or with the advertisers. */
export const AGENCIES = [
  'Finchwater Media',
  'Osprey Row Collective',
  'Lanternfish Digital',
  'Quillmark Creative',
  'Tidepool Analytics',
  'Paperkite Studio',
  'Northbeam & Daughters',
] as const;

export const OFFICES = [
  'Headquarters',
  'Accounts Payable',
  'Marketing',
  'Trade Desk',
  'Regional Office',
  'Creative Studio',
] as const;
