import type { BookRequest, ModifyRequest, SimpleRequest } from './requests.ts';
import { ANN } from './scenarios.ts';
import type { Scenario } from './world.ts';

/** Ann and one more guest are booked on Monday; Monday and Tuesday have three slots each. */
const TWO: BookRequest = { ...ANN, guests: 2, capacity: 3 };
const GROWS: ModifyRequest = {
  kind: 'modify',
  booking: 'X',
  command: 'grow',
  guests: 3,
  guest: null,
  on: null,
  capacity: 3,
  unitPriceMinor: 1_000,
};
const SHRINKS: ModifyRequest = { ...GROWS, command: 'shrink', guests: 1 };
const MOVES: ModifyRequest = { ...GROWS, command: 'move', guests: null, on: 'tue' };
const MOVES_BACK: ModifyRequest = { ...MOVES, command: 'back', on: 'mon' };
const RENAMES: ModifyRequest = { ...GROWS, command: 'rename', guests: null, guest: 'bob' };
const CANCELS: SimpleRequest = { kind: 'cancel', booking: 'X', command: 'cancel' };
const ERASES: SimpleRequest = { kind: 'erase', booking: 'X' };
/** Another guest for the remaining slots. */
const YAN: BookRequest = { ...TWO, booking: 'Y', guest: 'yan', guests: 1 };

export const GROWN_AND_NEWCOMER: Scenario = {
  name: 'one more guest, and a newcomer for the last slot',
  before: [TWO],
  requests: [GROWS, YAN],
  claims: 2,
};

export const GROWN_TWICE: Scenario = {
  name: 'one more guest, sent again to another node',
  before: [TWO],
  requests: [GROWS, GROWS],
  claims: 2,
};

/** Both change the same claim; one wins. */
export const GROW_AGAINST_SHRINK: Scenario = {
  name: 'one more guest against one fewer',
  before: [TWO],
  requests: [GROWS, SHRINKS],
  claims: 1,
};

export const MOVE_AGAINST_GROW: Scenario = {
  name: 'another date against one more guest',
  before: [TWO],
  requests: [MOVES, GROWS],
  claims: 1,
};

export const RENAME_AGAINST_SHRINK: Scenario = {
  name: 'another name against one guest fewer',
  before: [TWO],
  requests: [RENAMES, SHRINKS],
  claims: 1,
};

export const MOVED_AND_BACK: Scenario = {
  name: 'another date, and back',
  before: [TWO],
  requests: [MOVES, MOVES_BACK],
  claims: 1,
};

export const SHRUNK_THEN_GROWN: Scenario = {
  name: 'guests 2, then 1, then 2 again, with a newcomer',
  before: [TWO, SHRINKS],
  requests: [
    { ...GROWS, guests: 2 },
    { ...YAN, guests: 2 },
  ],
  claims: 1,
};

/** Two claims of two slots each; three slots are kept, so the newer claim shrinks. */
export const SHRUNK_OVER_TWO_CLAIMS: Scenario = {
  name: 'fewer guests over two claims, and a newcomer',
  before: [
    { ...TWO, capacity: 4 },
    { ...GROWS, guests: 4 },
  ],
  requests: [{ ...SHRINKS, guests: 3 }, YAN],
  claims: 1,
};

export const GROW_AGAINST_CANCEL: Scenario = {
  name: 'one more guest against a cancellation, and a newcomer',
  before: [TWO],
  requests: [GROWS, CANCELS, { ...YAN, guests: 2 }],
  claims: 1,
};

export const MOVE_AGAINST_CANCEL: Scenario = {
  name: 'another date against a cancellation',
  before: [TWO],
  requests: [MOVES, CANCELS],
  claims: 1,
};

export const RENAME_AGAINST_ERASURE: Scenario = {
  name: 'another name against the erasure of the guest',
  before: [TWO],
  requests: [RENAMES, ERASES],
  claims: 1,
};

/** The same key with two bodies. */
export const TWO_CHANGES_ONE_KEY: Scenario = {
  name: 'one key, two modifications',
  before: [TWO],
  requests: [GROWS, { ...MOVES, command: 'grow' }],
  claims: 1,
};

export const ON_REQUEST: Scenario = {
  name: 'the venue confirms while the guest moves the date',
  before: [{ ...TWO, ends: 'pending' }],
  requests: [{ kind: 'confirm', booking: 'X' }, MOVES, { kind: 'reject', booking: 'X' }],
  claims: 1,
};

/** Of six slots the key may take four before it pays. */
const ASKS: BookRequest = { ...TWO, guests: 3, capacity: 6, ends: 'pending' };

export const UNPAID_PLACES: Scenario = {
  name: 'two bookings on request of one key, and the answer of the venue',
  before: [],
  requests: [ASKS, { ...ASKS, booking: 'Y', guest: 'yan', guests: 2 }, { kind: 'confirm', booking: 'X' }],
  claims: 1,
};

/** Two slots of three are held. */
const HOLDS = { kind: 'hold', hold: 'H', guests: 2, on: 'mon', capacity: 3, unitPriceMinor: 1_000 } as const;
const RELEASES: SimpleRequest = { kind: 'release-hold', hold: 'H', on: 'mon' };
const USES: BookRequest = { ...TWO, hold: 'H' };

export const HOLD_USED_AT_ITS_END: Scenario = {
  name: 'a hold used around its end, and a newcomer',
  before: [HOLDS],
  requests: [USES, { ...YAN, guests: 2 }],
  claims: 2,
};

/** A hold that a booking uses which is paid at once. */
export const PAID_HOLD: Scenario = {
  name: 'a hold used by a confirmed booking',
  before: [HOLDS],
  requests: [USES],
  claims: 1,
};

export const UNPAID_HOLD: Scenario = {
  name: 'a hold used by a booking on request, another such booking of the key, and the answer of the venue',
  before: [{ ...HOLDS, capacity: 6 }],
  requests: [
    { ...ASKS, guests: 2, hold: 'H' },
    { ...ASKS, booking: 'Y', guest: 'yan' },
    { kind: 'confirm', booking: 'X' },
  ],
  claims: 1,
};

export const HOLD_USED_TWICE: Scenario = {
  name: 'one hold, two keys',
  before: [HOLDS],
  requests: [USES, { ...USES, booking: 'Y', guest: 'yan' }],
  claims: 1,
};

export const HOLD_SENT_AGAIN: Scenario = {
  name: 'a hold requested again after its release',
  before: [],
  requests: [HOLDS, HOLDS, RELEASES, YAN],
  claims: 1,
};

export const HOLD_RELEASED: Scenario = {
  name: 'a hold used and released',
  before: [HOLDS],
  requests: [USES, RELEASES, { ...YAN, guests: 2 }],
  claims: 1,
};

/** The hold's repetition may come before or after it is used. */
export const HOLD_SENT_AGAIN_AND_USED: Scenario = {
  name: 'a hold requested again after it was used',
  before: [],
  requests: [
    { ...HOLDS, capacity: 4 },
    { ...HOLDS, capacity: 4 },
    { ...USES, capacity: 4 },
  ],
  claims: 1,
};

/** The repetition may have read the booking's stream long before. */
export const CANCELLED_WHILE_SENT_AGAIN: Scenario = {
  name: 'a booking cancelled, and sent again to another node',
  before: [],
  requests: [TWO, TWO, CANCELS],
  claims: 1,
};

/** Searched completely in every test run. */
export const LIFE: readonly Scenario[] = [
  GROWN_AND_NEWCOMER,
  GROWN_TWICE,
  GROW_AGAINST_SHRINK,
  MOVE_AGAINST_GROW,
  RENAME_AGAINST_SHRINK,
  MOVED_AND_BACK,
  SHRUNK_THEN_GROWN,
  SHRUNK_OVER_TWO_CLAIMS,
  GROW_AGAINST_CANCEL,
  MOVE_AGAINST_CANCEL,
  RENAME_AGAINST_ERASURE,
  TWO_CHANGES_ONE_KEY,
  ON_REQUEST,
  UNPAID_PLACES,
  UNPAID_HOLD,
  HOLD_USED_AT_ITS_END,
  HOLD_USED_TWICE,
  HOLD_SENT_AGAIN,
  HOLD_RELEASED,
  HOLD_SENT_AGAIN_AND_USED,
  CANCELLED_WHILE_SENT_AGAIN,
];

/** Also searched completely, in allotments that still know each released id. */
export const REMEMBERED_LIFE: readonly Scenario[] = [HOLD_USED_AT_ITS_END, HOLD_SENT_AGAIN, HOLD_RELEASED];

/** Larger bounds; minutes instead of seconds. */
export const FULL_LIFE: readonly Scenario[] = [
  { ...CANCELLED_WHILE_SENT_AGAIN, claims: 2 },
  { ...GROWN_AND_NEWCOMER, claims: 3 },
  { ...GROWN_TWICE, name: 'one more guest, sent three times', requests: [GROWS, GROWS, GROWS] },
  { ...GROW_AGAINST_SHRINK, name: 'three changes at the same time', requests: [GROWS, SHRINKS, MOVES] },
  { ...MOVE_AGAINST_GROW, name: 'another date against one more guest, and a newcomer', requests: [MOVES, GROWS, YAN] },
  {
    ...MOVED_AND_BACK,
    name: 'another date, and back, twice',
    requests: [MOVES, MOVES_BACK, MOVES_BACK, YAN],
  },
  {
    ...RENAME_AGAINST_ERASURE,
    name: 'another name, twice, against erasure and cancellation',
    requests: [RENAMES, RENAMES, ERASES, CANCELS],
  },
  { ...GROW_AGAINST_CANCEL, claims: 2 },
  {
    ...HOLD_USED_AT_ITS_END,
    name: 'a hold used around its end, twice, and a newcomer',
    requests: [USES, USES, { ...YAN, guests: 2 }],
  },
  { ...HOLD_USED_TWICE, claims: 3 },
  { ...HOLD_RELEASED, claims: 2 },
];
