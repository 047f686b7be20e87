import { hasVisits, visitsToVoid } from '../../../projections/devicevisits/query.ts';
import type { BookingId, CommandId, DeviceId } from '../../domain/ids.ts';
import { type Cause, latest, type Position } from '../../eventsourcing/message.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ReadModelStore } from '../../ports/read-model-store.ts';
import { type ReadContext, readBooking } from '../booking/read-booking.ts';
import { noReply, type Refused, refused, serviceUnavailable } from '../refusal.ts';

/** Maximum number of visits that one request voids. */
export const MAX_VOIDED = 500;
/** Concurrent commands of one request. */
const AT_ONCE = 64;
const DECISION_MS = 10_000;
/** Maximum time that a request waits for the read model, which usually is a moment behind the log. */
const CATCH_UP_MS = 2_000;

export type VisitsOf =
  | { readonly kind: 'booking'; readonly id: string }
  | {
      readonly kind: 'device';
      readonly deviceId: DeviceId;
      /** Times of the scan, ms since the epoch, half-open; null: no bound. */
      readonly fromMs: number | null;
      readonly toMs: number | null;
    };

type Context = ReadContext & {
  readonly readModels: Pick<ReadModelStore, 'find'>;
  readonly collection: (projection: 'devicevisits') => Promise<string>;
  readonly caughtUp: (projection: 'devicevisits', timeoutMs: number) => Promise<boolean>;
  readonly clock: Clock;
};

type Voided = {
  readonly kind: 'voided';
  /** By this request; earlier voids are not counted. */
  readonly count: number;
  /** Whether no more of the visits are left. */
  readonly complete: boolean;
  /** Of the last void; null for none. */
  readonly position: Position | null;
};

type VisitRef = { readonly bookingId: BookingId; readonly command: CommandId };

/**
 * Takes back the visits of a booking or a device. Each booking's stream takes a visit back at most once, so the request can
 * be repeated after a fault, and goes on with the visits that are left.
 */
export async function voidVisits(
  visitsOf: VisitsOf,
  reason: string,
  cause: Cause,
  context: Context,
): Promise<Voided | Refused> {
  const found = visitsOf.kind === 'booking' ? await ofBooking(visitsOf.id, context) : await ofDevice(visitsOf, context);
  if (found.kind === 'refused') return found;
  let count = 0;
  let position: Position | null = null;
  for (let at = 0; at < found.visits.length; at += AT_ONCE) {
    const some = found.visits.slice(at, at + AT_ONCE);
    for (const reply of await Promise.all(some.map((visit) => voidVisit(visit, reason, cause, context)))) {
      if (reply.kind === 'rejected') throw new Error(`a recorded visit was not voided: ${reply.rejection.code}`);
      if (reply.kind !== 'accepted') return noReply(reply);
      count += reply.events.length;
      position = latest([position, reply.position]);
    }
  }
  return { kind: 'voided', count, complete: !found.more, position };
}

type Found = { readonly kind: 'found'; readonly visits: readonly VisitRef[]; readonly more: boolean };

/** From the booking's stream. */
async function ofBooking(id: string, context: Context): Promise<Found | Refused> {
  const view = await readBooking(id, 'operator', context);
  if (view.kind === 'refused') return view;
  const { booking } = view;
  const visits = booking.status === 'completed' ? [{ bookingId: view.id, command: booking.visit.command }] : [];
  return { kind: 'found', visits, more: false };
}

/** From the read model, once it has passed every visit that was reported before this request. */
async function ofDevice(
  { deviceId, fromMs, toMs }: Extract<VisitsOf, { kind: 'device' }>,
  { readModels, collection, caughtUp }: Context,
): Promise<Found | Refused> {
  if (!(await caughtUp('devicevisits', CATCH_UP_MS)))
    return serviceUnavailable('catching up', { call: 'wait for the read model devicevisits' });
  const name = await collection('devicevisits');
  if (!(await hasVisits(readModels, name, deviceId)))
    return refused('NOT_FOUND', `No visit was recorded by a device with the id "${deviceId}"; check device_id.`);
  return { kind: 'found', ...(await visitsToVoid(readModels, name, { deviceId, fromMs, toMs, limit: MAX_VOIDED })) };
}

function voidVisit(
  { bookingId, command }: VisitRef,
  reason: string,
  cause: Cause,
  { streams, clock }: Pick<Context, 'streams' | 'clock'>,
) {
  const voiding = { type: 'VoidVisit', visit: command, reason, at: cause.at } as const;
  return streams.bookings.handle(bookingId, voiding, cause, clock.nowMs() + DECISION_MS);
}
