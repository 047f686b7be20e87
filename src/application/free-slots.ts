import type { ClaimRef } from '../domain/booking/booking.ts';
import type { Cause, Position } from '../eventsourcing/message.ts';
import type { BookingContext } from './booking-context.ts';

/** What a booking gave up by a stored event of its own, which made it this version. */
export type GivenUp = {
  readonly dropped: readonly ClaimRef[];
  /** With the sizes that are left. */
  readonly shrunk: readonly ClaimRef[];
  readonly version: number;
};

/**
 * Frees at once, by the commands that the reaper would send, what a booking gave up. Best effort: what is not done by the
 * deadline (ms since the epoch) the reaper does. Returns the position of the last release, null where there was none.
 */
export async function freeSlotsOf(
  { dropped, shrunk, version }: GivenUp,
  cause: Cause,
  deadlineMs: number,
  { allotments }: Pick<BookingContext['streams'], 'allotments'>,
): Promise<Position | null> {
  const replies = await Promise.all([
    ...dropped.map(({ allotment, id: claim }) =>
      allotments.handle(allotment, { type: 'ReleaseSlots', claim }, cause, deadlineMs),
    ),
    ...shrunk.map(({ allotment, id: claim, size: left }) =>
      allotments.handle(allotment, { type: 'ShrinkClaim', claim, left, version }, cause, deadlineMs),
    ),
  ]);
  const positions = replies.map((reply) => (reply.kind === 'accepted' ? reply.position : null));
  return positions.reduce(
    (last, position) => (position !== null && (last === null || position > last) ? position : last),
    null,
  );
}
