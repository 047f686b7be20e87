import type { ClaimRef } from '../domain/booking/booking.ts';
import type { Cause, Position } from '../eventsourcing/message.ts';
import type { BookingContext } from './booking-context.ts';

/**
 * Gives back the slots that a booking's stored event dropped, at once instead of when the reaper comes to it. What fails
 * here is left to the reaper, which sends the very same commands.
 *
 * @returns where the last of them was given back; null where none was
 */
export async function releaseDropped(
  dropped: readonly ClaimRef[],
  cause: Cause,
  deadlineMs: number,
  { streams }: Pick<BookingContext, 'streams'>,
): Promise<Position | null> {
  const replies = await Promise.all(
    dropped.map(({ allotment, id }) =>
      streams.allotments.handle(allotment, { type: 'ReleaseSlots', claim: id }, cause, deadlineMs),
    ),
  );
  return replies.reduce<Position | null>((last, reply) => {
    const position = reply.kind === 'accepted' ? reply.position : null;
    return position !== null && (last === null || position > last) ? position : last;
  }, null);
}
