import { ANN } from './scenarios.ts';
import type { BookWish, ModifyWish, PlainWish } from './wish.ts';
import type { Scenario } from './world.ts';

/** Ann and one more are booked on Monday, which has room for three, as Tuesday has. */
const TWO: BookWish = { ...ANN, guests: 2, capacity: 3 };
const GROWS: ModifyWish = {
  kind: 'modify',
  booking: 'X',
  command: 'grow',
  guests: 3,
  guest: null,
  on: null,
  capacity: 3,
  unitPriceMinor: 1_000,
};
const SHRINKS: ModifyWish = { ...GROWS, command: 'shrink', guests: 1 };
const MOVES: ModifyWish = { ...GROWS, command: 'move', guests: null, on: 'tue' };
const MOVES_BACK: ModifyWish = { ...MOVES, command: 'back', on: 'mon' };
const RENAMES: ModifyWish = { ...GROWS, command: 'rename', guests: null, guest: 'bob' };
const CANCELS: PlainWish = { kind: 'cancel', booking: 'X', command: 'cancel' };
const ERASES: PlainWish = { kind: 'erase', booking: 'X' };
/** Somebody else, who comes for what is left. */
const YAN: BookWish = { ...TWO, booking: 'Y', guest: 'yan', guests: 1 };

export const GROWN_AND_NEWCOMER: Scenario = {
  name: 'one more guest, and a newcomer for the last slot',
  before: [TWO],
  wishes: [GROWS, YAN],
  claims: 2,
};

export const GROWN_TWICE: Scenario = {
  name: 'one more guest, sent again to another node',
  before: [TWO],
  wishes: [GROWS, GROWS],
  claims: 2,
};

/** Each gives back and takes what the other does, and only one of them can. */
export const GROW_AGAINST_SHRINK: Scenario = {
  name: 'one more guest against one fewer',
  before: [TWO],
  wishes: [GROWS, SHRINKS],
  claims: 1,
};

export const MOVE_AGAINST_GROW: Scenario = {
  name: 'another date against one more guest',
  before: [TWO],
  wishes: [MOVES, GROWS],
  claims: 1,
};

export const RENAME_AGAINST_SHRINK: Scenario = {
  name: 'another name against one guest fewer',
  before: [TWO],
  wishes: [RENAMES, SHRINKS],
  claims: 1,
};

export const MOVED_AND_BACK: Scenario = {
  name: 'another date, and back to the first',
  before: [TWO],
  wishes: [MOVES, MOVES_BACK],
  claims: 1,
};

export const SHRUNK_THEN_GROWN: Scenario = {
  name: 'guests 2, then 1, then 2 again, with a newcomer',
  before: [TWO, SHRINKS],
  wishes: [
    { ...GROWS, guests: 2 },
    { ...YAN, guests: 2 },
  ],
  claims: 1,
};

/** Two claims of two slots each, of which three are kept: the newer one is shrunk. */
export const SHRUNK_OVER_TWO_CLAIMS: Scenario = {
  name: 'fewer guests over two claims, and a newcomer',
  before: [
    { ...TWO, capacity: 4 },
    { ...GROWS, guests: 4 },
  ],
  wishes: [{ ...SHRINKS, guests: 3 }, YAN],
  claims: 1,
};

export const GROW_AGAINST_CANCEL: Scenario = {
  name: 'one more guest against a cancellation, and a newcomer',
  before: [TWO],
  wishes: [GROWS, CANCELS, { ...YAN, guests: 2 }],
  claims: 1,
};

export const MOVE_AGAINST_CANCEL: Scenario = {
  name: 'another date against a cancellation',
  before: [TWO],
  wishes: [MOVES, CANCELS],
  claims: 1,
};

export const RENAME_AGAINST_ERASURE: Scenario = {
  name: 'another name against the erasure of the guest',
  before: [TWO],
  wishes: [RENAMES, ERASES],
  claims: 1,
};

/** The same key with two bodies. */
export const TWO_CHANGES_ONE_KEY: Scenario = {
  name: 'one key, two modifications',
  before: [TWO],
  wishes: [GROWS, { ...MOVES, command: 'grow' }],
  claims: 1,
};

export const ON_REQUEST: Scenario = {
  name: 'the venue agrees while the guest moves the date',
  before: [{ ...TWO, ends: 'pending' }],
  wishes: [{ kind: 'confirm', booking: 'X' }, MOVES, { kind: 'reject', booking: 'X' }],
  claims: 1,
};

/** Two slots of three are held. */
const HOLDS: PlainWish = { kind: 'hold', hold: 'H', guests: 2, on: 'mon', capacity: 3, unitPriceMinor: 1_000 };
const LETS_GO: PlainWish = { kind: 'let-go', hold: 'H', on: 'mon' };
const USES: BookWish = { ...TWO, hold: 'H' };

export const HOLD_USED_AT_ITS_END: Scenario = {
  name: 'a hold used about its end, and a newcomer',
  before: [HOLDS],
  wishes: [USES, { ...YAN, guests: 2 }],
  claims: 2,
};

export const HOLD_USED_TWICE: Scenario = {
  name: 'one hold, two keys',
  before: [HOLDS],
  wishes: [USES, { ...USES, booking: 'Y', guest: 'yan' }],
  claims: 1,
};

export const HOLD_SENT_AGAIN: Scenario = {
  name: 'a hold asked for again, after it was let go',
  before: [],
  wishes: [HOLDS, HOLDS, LETS_GO, YAN],
  claims: 1,
};

export const HOLD_LET_GO: Scenario = {
  name: 'a hold that is used and let go',
  before: [HOLDS],
  wishes: [USES, LETS_GO, { ...YAN, guests: 2 }],
  claims: 1,
};

/** Searched to their end at every run of the tests. */
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
  HOLD_USED_AT_ITS_END,
  HOLD_USED_TWICE,
  HOLD_SENT_AGAIN,
  HOLD_LET_GO,
];

/** The same with larger bounds: minutes, not seconds. */
export const FULL_LIFE: readonly Scenario[] = [
  { ...GROWN_AND_NEWCOMER, claims: 3 },
  { ...GROWN_TWICE, name: 'one more guest, sent three times', wishes: [GROWS, GROWS, GROWS] },
  { ...GROW_AGAINST_SHRINK, name: 'three changes at the same time', wishes: [GROWS, SHRINKS, MOVES] },
  { ...MOVE_AGAINST_GROW, name: 'another date against one more guest, and a newcomer', wishes: [MOVES, GROWS, YAN] },
  {
    ...MOVED_AND_BACK,
    name: 'another date, and back to the first, twice',
    wishes: [MOVES, MOVES_BACK, MOVES_BACK, YAN],
  },
  {
    ...RENAME_AGAINST_ERASURE,
    name: 'another name, twice, against erasure and cancellation',
    wishes: [RENAMES, RENAMES, ERASES, CANCELS],
  },
  { ...GROW_AGAINST_CANCEL, claims: 2 },
  {
    ...HOLD_USED_AT_ITS_END,
    name: 'a hold used about its end, twice, and a newcomer',
    wishes: [USES, USES, { ...YAN, guests: 2 }],
  },
  { ...HOLD_USED_TWICE, claims: 3 },
  { ...HOLD_LET_GO, claims: 2 },
];
