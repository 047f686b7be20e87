import type { HoldId, KeyId } from '../../domain/ids.ts';
import type { Cause, Position } from '../../eventsourcing/message.ts';
import type { BookingContext } from '../booking/booking-context.ts';
import { settleExposure } from '../exposure/reserve-exposure.ts';
import { noReply, type Refused } from '../refusal.ts';
import { holdIn, readAskedHold, usableHold } from './read-hold.ts';

type Released = {
  readonly kind: 'released';
  readonly id: HoldId;
  /** Position of the release; null if the hold had expired or was already released. */
  readonly position: Position | null;
};

/** Releases a hold of the caller's key; the operator may release any. On return its slots are free. */
export async function releaseHold(
  id: string,
  asker: KeyId | 'operator',
  cause: Cause,
  context: Pick<BookingContext, 'streams' | 'clock' | 'limits' | 'exposure'>,
): Promise<Released | Refused> {
  const asked = await readAskedHold(id, asker, context);
  if (asked.kind === 'refused') return asked;
  const { streams, clock, limits } = context;
  const deadlineMs = clock.nowMs() + limits.responseMs;
  const command = { type: 'ReleaseHold', holdId: asked.id } as const;
  const reply = await streams.allotments.handle(asked.facts.allotment, command, cause, deadlineMs);
  if (reply.kind === 'accepted') {
    await settleExposure(asked.facts.keyId, 'openHolds', { subject: asked.id, counts: null }, context);
    return { kind: 'released', id: asked.id, position: reply.position };
  }
  if (reply.kind !== 'rejected') return noReply(reply);
  const hold = holdIn(reply.state, asked)?.hold;
  if (hold?.status === 'released') return { kind: 'released', id: asked.id, position: null };
  const found = usableHold(id, hold, clock.nowMs());
  if (found.kind === 'usable') throw new Error(`${asked.id} is open, but was not released: ${reply.rejection.code}`);
  return found;
}
