/** What must hold, by name. */
export const INVARIANTS = [
  // In every world.
  'slots taken fit the capacity',
  'the decider counts the slots that are claimed',
  'guests booked fit the capacity',
  'a booking holds its claims',
  'a booking is confirmed once',
  'charges equal what is confirmed',
  'a voucher is for its booking',
  'a booked guest is on record',
  'an id stands for one taking of slots',
  'a change is made to what its asker saw',
  'nothing is given back early',
  'a reaper resumes where it was',
  // Of every answer to a request.
  'an answer is true',
  'what is done is not refused',
  'no attempt is contended',
  // In every world, if every request stopped there and a reaper went on to its end.
  'the reaper comes to rest',
  'nothing leaks',
  'a late command is harmless',
] as const;
export type Invariant = (typeof INVARIANTS)[number];

export type Violation = { readonly invariant: Invariant; readonly detail: string };
