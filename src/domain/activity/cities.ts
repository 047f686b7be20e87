import type { Currency } from './money.ts';

type CityFacts = {
  readonly country: 'TH' | 'VN' | 'ID' | 'MY' | 'SG';
  readonly currency: Currency;
  readonly timeZone: string;
  /** Constant: none of the five countries has daylight saving time; a test compares this with the zone's rules. */
  readonly utcOffsetMinutes: number;
  /** City centre, degrees. */
  readonly lat: number;
  readonly lon: number;
};

const ICT = { timeZone: 'Asia/Bangkok', utcOffsetMinutes: 420 } as const;
const INDOCHINA = { timeZone: 'Asia/Ho_Chi_Minh', utcOffsetMinutes: 420 } as const;
const WIB = { timeZone: 'Asia/Jakarta', utcOffsetMinutes: 420 } as const;
const WITA = { timeZone: 'Asia/Makassar', utcOffsetMinutes: 480 } as const;
const MYT = { timeZone: 'Asia/Kuala_Lumpur', utcOffsetMinutes: 480 } as const;
const SGT = { timeZone: 'Asia/Singapore', utcOffsetMinutes: 480 } as const;
const THAILAND = { country: 'TH', currency: 'THB', ...ICT } as const;
const VIETNAM = { country: 'VN', currency: 'VND', ...INDOCHINA } as const;
const MALAYSIA = { country: 'MY', currency: 'MYR', ...MYT } as const;

/** The 16 supported cities, under their canonical names. */
export const CITIES = {
  Bangkok: {
    ...THAILAND,
    lat: 13.7563,
    lon: 100.5018,
  },
  Phuket: { ...THAILAND, lat: 7.8804, lon: 98.3923 },
  'Chiang Mai': { ...THAILAND, lat: 18.7883, lon: 98.9853 },
  Pattaya: { ...THAILAND, lat: 12.9236, lon: 100.8825 },
  Krabi: { ...THAILAND, lat: 8.0863, lon: 98.9063 },
  'Ho Chi Minh': {
    ...VIETNAM,
    lat: 10.7769,
    lon: 106.7009,
  },
  Hanoi: { ...VIETNAM, lat: 21.0278, lon: 105.8342 },
  'Da Nang': { ...VIETNAM, lat: 16.0544, lon: 108.2022 },
  'Nha Trang': { ...VIETNAM, lat: 12.2388, lon: 109.1967 },
  Bali: {
    country: 'ID',
    currency: 'IDR',
    ...WITA,
    lat: -8.6705,
    lon: 115.2126,
  },
  Jakarta: {
    country: 'ID',
    currency: 'IDR',
    ...WIB,
    lat: -6.2088,
    lon: 106.8456,
  },
  Yogyakarta: {
    country: 'ID',
    currency: 'IDR',
    ...WIB,
    lat: -7.7956,
    lon: 110.3695,
  },
  'Kuala Lumpur': { ...MALAYSIA, lat: 3.139, lon: 101.6869 },
  Penang: { ...MALAYSIA, lat: 5.4141, lon: 100.3288 },
  Langkawi: { ...MALAYSIA, lat: 6.35, lon: 99.8 },
  Singapore: {
    country: 'SG',
    currency: 'SGD',
    ...SGT,
    lat: 1.3521,
    lon: 103.8198,
  },
} as const satisfies Record<string, CityFacts>;

/** Guests within this distance of the centre count as in the city; its venues and hotels are within it. */
export const CITY_RADIUS_KM = 75;

export type CityName = keyof typeof CITIES;

export const CITY_NAMES: readonly CityName[] = Object.keys(CITIES) as CityName[];

export function cityFacts(name: CityName): CityFacts {
  return CITIES[name];
}

export function isCityName(name: string): name is CityName {
  return Object.hasOwn(CITIES, name);
}
