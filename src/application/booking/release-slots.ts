import type { ClaimRef } from '../../domain/booking/facts.ts';
import { type Cause, latest, type Position } from '../../eventsourcing/message.ts';
import type { BookingContext } from './booking-context.ts';

/** Claims that a stored event of the booking dropped or shrank. */
type ReleasedClaims = {
  readonly dropped: readonly ClaimRef[];
  /** With their remaining sizes. */
  readonly shrunk: readonly ClaimRef[];
  readonly version: number;
};

/**
 * Releases slots at once, with the commands that the reaper would send. Best effort: the reaper does what is not done
 * by the deadline (ms since the epoch). @returns the position of the last release, null if there was none
 */
export async function releaseSlots(
  { dropped, shrunk, version }: ReleasedClaims,
  cause: Cause,
  deadlineMs: number,
  { allotments }: Pick<BookingContext['streams'], 'allotments'>,
): Promise<Position | null> {
  const replies = await Promise.all([
    ...dropped.map(({ allotment, id: claimId }) =>
      allotments.handle(allotment, { type: 'ReleaseSlots', claimId }, cause, deadlineMs),
    ),
    ...shrunk.map(({ allotment, id: claimId, size: left }) =>
      allotments.handle(allotment, { type: 'ShrinkClaim', claimId, left, version }, cause, deadlineMs),
    ),
  ]);
  return latest(replies.map((reply) => (reply.kind === 'accepted' ? reply.position : null)));
}

/** Records at once that the venue confirmed the booking of these claims. Best effort, like `releaseSlots`. */
export async function recordPaid(
  claims: readonly ClaimRef[],
  cause: Cause,
  deadlineMs: number,
  { allotments }: Pick<BookingContext['streams'], 'allotments'>,
): Promise<void> {
  await Promise.all(
    claims.map(({ allotment, id: claimId }) =>
      allotments.handle(allotment, { type: 'RecordPaid', claimId }, cause, deadlineMs),
    ),
  );
}
