import type { BookRequest } from './requests.ts';
import type { Scenario } from './world.ts';

/** Ann books one slot on Monday; it is the last one. */
export const ANN: BookRequest = {
  kind: 'book',
  booking: 'X',
  guest: 'ann',
  guests: 1,
  on: 'mon',
  capacity: 1,
  unitPriceMinor: 1_000,
  hold: null,
  expects: null,
  ends: 'confirmed',
};

/** Two bookings, one slot. */
export const RIVALS: Scenario = {
  name: 'two bookings for one slot',
  before: [],
  requests: [ANN, { ...ANN, booking: 'Y' }],
  claims: 1,
};

/** Two bookings, three guests, two slots. */
export const LAST_SLOTS: Scenario = {
  name: 'two bookings for the last slots',
  before: [],
  requests: [
    { ...ANN, capacity: 2, guests: 2 },
    { ...ANN, capacity: 2, booking: 'Y' },
  ],
  claims: 2,
};

/** A client repeats its request at another node. Up to two claims are abandoned before the last one. */
export const SENT_AGAIN: Scenario = {
  name: 'a booking sent again to another node',
  before: [],
  requests: [
    { ...ANN, capacity: 2, guests: 2 },
    { ...ANN, capacity: 2, guests: 2 },
  ],
  claims: 3,
};

/** The same, and another guest who takes the released slots. */
export const SENT_AGAIN_AND_NEWCOMER: Scenario = {
  name: 'a booking sent again, and a newcomer for its slot',
  before: [],
  requests: [ANN, ANN, { ...ANN, booking: 'Y' }],
  claims: 1,
};

/** One Idempotency-Key, two numbers of guests, and enough slots for both. */
export const TWO_SIZES: Scenario = {
  name: 'one key, two numbers of guests',
  before: [],
  requests: [
    { ...ANN, capacity: 3 },
    { ...ANN, capacity: 3, guests: 2 },
  ],
  claims: 1,
};

/** The same, and another guest for the slot that the smaller request leaves. */
export const TWO_SIZES_AND_NEWCOMER: Scenario = {
  name: 'one key, two numbers of guests, and a newcomer',
  before: [],
  requests: [
    { ...ANN, capacity: 2 },
    { ...ANN, capacity: 2, guests: 2 },
    { ...ANN, capacity: 2, booking: 'Y' },
  ],
  claims: 1,
};

export const TWO_SIZES_SENT_AGAIN: Scenario = {
  name: 'one key, two numbers of guests, one of them sent again',
  before: [],
  requests: [
    { ...ANN, capacity: 3, guests: 2 },
    { ...ANN, capacity: 3, guests: 2 },
    { ...ANN, capacity: 3 },
  ],
  claims: 1,
};

export const TWO_DATES: Scenario = {
  name: 'one key, two dates',
  before: [],
  requests: [ANN, { ...ANN, on: 'tue' }],
  claims: 1,
};

export const TWO_GUESTS: Scenario = {
  name: 'one key, two lead guests',
  before: [],
  requests: [ANN, { ...ANN, guest: 'bob' }],
  claims: 1,
};

/** The price changes between the two requests; the one that opens the allotment fixes it. */
export const TWO_PRICES: Scenario = {
  name: 'a booking sent again after its price had changed',
  before: [],
  requests: [ANN, { ...ANN, unitPriceMinor: 1_200 }],
  claims: 2,
};

/** An operator raises the price while a guarded booking is made, and sent again to another node. */
export const GUARDED: Scenario = {
  name: 'a booking at an expected total sent again while its price changes',
  before: [],
  requests: [
    { ...ANN, expects: 1_000 },
    { ...ANN, expects: 1_000 },
    { kind: 'set-price', on: 'mon', capacity: 1, unitPriceMinor: 1_200 },
  ],
  claims: 2,
};

/** The repetition expects the new price. */
export const TWO_EXPECTATIONS: Scenario = {
  ...GUARDED,
  name: 'one key, two expected totals, while the price changes',
  requests: [
    { ...ANN, expects: 1_000 },
    { ...ANN, expects: 1_200 },
    { kind: 'set-price', on: 'mon', capacity: 1, unitPriceMinor: 1_200 },
  ],
};

const THREE_BOOKINGS: Scenario = {
  name: 'three bookings for the last slots',
  before: [],
  requests: [
    { ...ANN, capacity: 3 },
    { ...ANN, capacity: 3, guests: 2, booking: 'Y' },
    { ...ANN, capacity: 3, booking: 'Z' },
  ],
  claims: 1,
};

/** Searched completely in every test run, in allotments that forget each id as soon as it is released. */
export const SMALL: readonly Scenario[] = [
  { ...LAST_SLOTS, claims: 1 },
  { ...SENT_AGAIN, claims: 2 },
  SENT_AGAIN_AND_NEWCOMER,
  TWO_SIZES,
  TWO_DATES,
  TWO_GUESTS,
  TWO_EXPECTATIONS,
];

/** Also searched completely, in allotments that still know each released id. */
export const REMEMBERED: readonly Scenario[] = [
  LAST_SLOTS,
  THREE_BOOKINGS,
  SENT_AGAIN,
  SENT_AGAIN_AND_NEWCOMER,
  TWO_SIZES_AND_NEWCOMER,
  TWO_PRICES,
  GUARDED,
];

/** Larger bounds; minutes instead of seconds. */
export const FULL: readonly Scenario[] = [
  THREE_BOOKINGS,
  { ...LAST_SLOTS, claims: 3 },
  { ...SENT_AGAIN, claims: 4 },
  { ...SENT_AGAIN, name: 'a booking sent three times', requests: [ANN, ANN, ANN], claims: 2 },
  { ...SENT_AGAIN_AND_NEWCOMER, claims: 2 },
  { ...TWO_SIZES, claims: 2 },
  TWO_SIZES_SENT_AGAIN,
  TWO_SIZES_AND_NEWCOMER,
  { ...TWO_DATES, claims: 2 },
  { ...TWO_GUESTS, claims: 2 },
  TWO_PRICES,
  GUARDED,
];
