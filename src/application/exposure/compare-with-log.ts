import { freeUntilMs } from '../../domain/activity/pricing.ts';
import { holdStatus } from '../../domain/allotment/state.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import type { ExistingBooking } from '../../domain/booking/state.ts';
import { type Exposed, settled } from '../../domain/exposure/counter.ts';
import type { CountedLimit } from '../../domain/exposure/exposure.ts';
import { parseBookingId, parseHoldId } from '../../domain/ids.ts';
import { MINUTE_MS } from '../../eventsourcing/durations.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { BookingContext } from '../booking/booking-context.ts';
import { holdIn, readAllotment } from '../hold/read-hold.ts';

/** An entry is compared again after this time. So a key that is refused all the time costs few reads. */
const CHECKED_FOR_MS = MINUTE_MS;
/** Maximum number of streams that one refusal reads. */
const CHECKED_AT_ONCE = 32;

type Counts = Pick<Exposed, 'amount' | 'endsAtMs'>;
/** `unknown`: a stream did not answer. */
type Truth = { readonly kind: 'counts'; readonly counts: Counts | null } | { readonly kind: 'unknown' };
type Context = Pick<BookingContext, 'exposure' | 'streams' | 'clock' | 'limits'>;

/**
 * Corrects entries by the streams of their bookings and holds: a request may have died after it reserved, or before it
 * returned what it no longer needs. @returns false if nothing was due to be compared
 */
export async function compareWithLog(counter: string, limit: CountedLimit, context: Context): Promise<boolean> {
  const { exposure, clock } = context;
  const nowMs = clock.nowMs();
  const due = (await exposure.counters.read(counter))
    .filter(({ endsAtMs, openUntilMs }) => nowMs < endsAtMs && nowMs >= openUntilMs)
    .filter(({ checkedAtMs }) => nowMs - checkedAtMs >= CHECKED_FOR_MS)
    .sort((one, other) => one.checkedAtMs - other.checkedAtMs);
  const subjects = [...new Set(due.map(({ subject }) => subject))].slice(0, CHECKED_AT_ONCE);
  if (subjects.length === 0) return false;
  const found = await Promise.all(
    subjects.map(async (subject) => ({ subject, truth: await truthOf(limit, subject, context) })),
  );
  await exposure.counters.change(counter, (entries) => {
    const corrected = found.reduce((after, { subject, truth }) => {
      if (truth.kind === 'unknown') return after;
      return settled(after, { subject, counts: truth.counts, openUntilMs: nowMs, nowMs });
    }, entries);
    return { entries: corrected, result: undefined };
  });
  return true;
}

function truthOf(limit: CountedLimit, subject: string, context: Context): Promise<Truth> {
  switch (limit) {
    case 'openHolds':
      return truthOfHold(subject, context);
    case 'refundableGuests':
      return truthOfBooking(subject, context);
    default:
      return unreachable(limit);
  }
}

async function truthOfBooking(subject: string, { streams, clock, limits }: Context): Promise<Truth> {
  const id = parseBookingId(subject);
  if (id === null) return NOTHING;
  const reply = await streams.bookings.read(id, clock.nowMs() + limits.responseMs);
  if (reply.kind !== 'state') return { kind: 'unknown' };
  return { kind: 'counts', counts: reply.state.status === 'none' ? null : refundable(reply.state) };
}

/**
 * The guests that count against `refundable_guests`, until the end of free cancellation; null for none. A booking that
 * waits for the venue counts too: its confirmation cannot be refused by a limit of the key.
 */
export function refundable({ status, facts, hours }: ExistingBooking): Counts | null {
  const mayBeCancelled = status === 'processing' || status === 'pending' || status === 'confirmed';
  if (!mayBeCancelled || hours === null) return null;
  return { amount: guestsOf(facts), endsAtMs: freeUntilMs(facts.cancellation, hours.opensAtMs) };
}

async function truthOfHold(subject: string, context: Context): Promise<Truth> {
  const id = parseHoldId(subject);
  if (id === null) return NOTHING;
  const nowMs = context.clock.nowMs();
  const asked = await context.streams.holds.read(id, nowMs + context.limits.responseMs);
  if (asked.kind !== 'state') return { kind: 'unknown' };
  if (asked.state.status === 'none') return NOTHING;
  const { facts } = asked.state;
  const read = await readAllotment(facts, context);
  if (read.kind === 'refused') return { kind: 'unknown' };
  const hold = holdIn(read.allotment, { id, facts })?.hold;
  if (hold === undefined || holdStatus(hold, nowMs) !== 'open') return NOTHING;
  return { kind: 'counts', counts: { amount: 1, endsAtMs: hold.expiresAtMs } };
}

const NOTHING: Truth = { kind: 'counts', counts: null };
