/** The invariants, by name. */
export const INVARIANTS = [
  // In every world.
  'taken slots do not exceed the capacity',
  'the decider counts the taken slots',
  'unpaid places do not exceed the share of their key',
  'the decider counts the unpaid places',
  'booked guests do not exceed the capacity',
  'a booking holds its claims',
  'a booking is confirmed at most once',
  'charges match confirmations',
  'a booking is made only at the expected total',
  'a voucher is valid on the date of its booking',
  'the guest of a booking is recorded',
  'an id is claimed and released at most once',
  'a state from a snapshot is that of all events',
  'a modification applies to the version it was planned on',
  'nothing is released before its deadline',
  'a restarted reaper has the same open items',
  // In every answer to a request.
  'an answer matches the stored state',
  'a request that took effect is not rejected',
  'no attempt is contended',
  // In every world, after all requests have stopped and a reaper has finished.
  'the reaper finishes',
  'no slot or guest record leaks',
  'a confirmed booking does not count as unpaid',
  'a late command of a reaper changes nothing',
] as const;
export type Invariant = (typeof INVARIANTS)[number];

export type Violation = { readonly invariant: Invariant; readonly detail: string };
