import { listBookings } from '../../../projections/bookings/query.ts';
import type { LocalDate } from '../../domain/activity/activity.ts';
import type { Currency } from '../../domain/activity/money.ts';
import { addDays, dayOf, midnightMs } from '../../domain/activity/schedule.ts';
import { notOnSale } from '../../domain/activity/understand-date.ts';
import type { DateCancellation, DateCancellationReason } from '../../domain/allotment/cancellation.ts';
import type { AllotmentCommand } from '../../domain/allotment/commands.ts';
import type { DateSchedule } from '../../domain/allotment/events.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import { allotmentIdOf, type CommandId } from '../../domain/ids.ts';
import type { Cause, Position } from '../../eventsourcing/message.ts';
import type { Cursor, ReadModelStore } from '../../ports/read-model-store.ts';
import type { BookingContext } from '../booking/booking-context.ts';
import { commandIdOfKey, fingerprintOf } from '../identifiers.ts';
import { keyReused } from '../in-flight.ts';
import { noReply, type Refused, refused } from '../refusal.ts';
import { type AllotmentView, readAllotment } from './operate-allotment.ts';

export type CancelDate = {
  readonly activityId: string;
  readonly date: LocalDate;
  readonly reason: DateCancellationReason;
  readonly idempotencyKey: string | null;
};

/** The newest cancellation of a date, and how far it is. */
export type DateCancellationView = {
  readonly kind: 'date-cancellation';
  readonly schedule: DateSchedule;
  readonly cancellation: DateCancellation;
  /** Whether slots are sold again. */
  readonly reopened: boolean;
  /** True if the date was cancelled before; the first cancellation stands. */
  readonly replayed: boolean;
  /** Position of the last event that this request appended; null if it wrote nothing. */
  readonly position: Position | null;
};

/** What a cancellation of the date would do now. */
export type DateCancellationQuote = {
  readonly kind: 'quote';
  readonly schedule: DateSchedule;
  readonly reason: DateCancellationReason;
  /** To be cancelled, with their guests and what they are refunded. */
  readonly bookings: number;
  readonly guests: number;
  readonly refundMinor: number;
  readonly currency: Currency;
  /** Bookings that stay because they were visited. */
  readonly visited: number;
  /** Open holds, which are released. */
  readonly holds: number;
};

type QuoteContext = BookingContext & {
  readonly readModels: Pick<ReadModelStore, 'find'>;
  readonly collection: (projection: string) => Promise<string>;
};

const PAGE = 500;

/** Closes the date; durable on return. The process manager `cancel-dates` then cancels its bookings. */
export async function cancelDate(
  request: CancelDate,
  cause: Cause,
  context: BookingContext,
): Promise<DateCancellationView | Refused> {
  const view = await readOpenDate(request, context);
  if (view.kind === 'refused') return view;
  const command = commandOf(request, view.schedule, context);
  const work = () => close(view.schedule, command, cause, context);
  if (request.idempotencyKey === null) return work();
  return context.inFlight.run(command.commandId, command.fingerprint, work, work);
}

/** The same from the read models, which follow the log within moments. Writes nothing. */
export async function quoteDateCancellation(
  { activityId, date, reason }: Omit<CancelDate, 'idempotencyKey'>,
  context: QuoteContext,
): Promise<DateCancellationQuote | Refused> {
  const view = await readOpenDate({ activityId, date }, context);
  if (view.kind === 'refused') return view;
  const { schedule, allotment } = view;
  const holds = allotment.status === 'open' ? [...allotment.holds.values()].filter(isOpen).length : 0;
  const quote = { bookings: 0, guests: 0, refundMinor: 0, visited: 0 };
  for await (const booking of bookingsOn(schedule, context)) {
    if (booking.status === 'completed') quote.visited += 1;
    if (booking.status !== 'pending' && booking.status !== 'confirmed') continue;
    quote.bookings += 1;
    quote.guests += guestsOf(booking);
    quote.refundMinor += booking.chargedMinor - booking.refundedMinor;
  }
  return { kind: 'quote', schedule, reason, ...quote, currency: schedule.currency, holds };
}

/** The newest cancellation of a date, past or future, from the date's stream. */
export async function readDateCancellation(
  activityId: string,
  date: LocalDate,
  context: BookingContext,
): Promise<DateCancellationView | Refused> {
  const view = await readAllotment(activityId, date, context);
  if (view.kind === 'refused') return view;
  return viewOf(view, true) ?? refused('NOT_FOUND', `${activityId} was never cancelled on ${date}.`);
}

/**
 * A date whose hours are not over. One that has events can be cancelled, whatever the catalogue says now; without hours in
 * the catalogue it ends at midnight.
 */
async function readOpenDate(
  { activityId, date }: Pick<CancelDate, 'activityId' | 'date'>,
  context: BookingContext,
): Promise<AllotmentView | Refused> {
  const view = await readAllotment(activityId, date, context);
  if (view.kind === 'refused') return view;
  const { city } = view.schedule;
  const nowMs = context.clock.nowMs();
  if (view.allotment.status === 'open') {
    const entry = context.catalogue.get(activityId);
    const day = entry === undefined ? null : dayOf(entry.activity, date);
    if (nowMs < (day?.closesAtMs ?? midnightMs(city, addDays(date, 1)))) return view;
    return refused('INVALID_DATE', `date ${date} is over; bookings can be cancelled until the activity closes.`);
  }
  const why = notOnSale(date, city, nowMs, context.limits.daysAhead);
  return why === null ? view : refused('INVALID_DATE', `date ${date} ${why}.`);
}

type CancelDateCommand = Extract<AllotmentCommand, { type: 'CancelDate' }>;

function commandOf(
  { activityId, date, reason, idempotencyKey }: CancelDate,
  schedule: DateSchedule,
  { clock, digest, ids }: BookingContext,
): CancelDateCommand {
  const scope = ['cancel date', activityId, date];
  return {
    type: 'CancelDate',
    commandId: idempotencyKey === null ? (ids.uuid() as CommandId) : commandIdOfKey(digest, scope, idempotencyKey),
    fingerprint: fingerprintOf(digest, [reason]),
    reason,
    at: new Date(clock.nowMs()).toISOString(),
    schedule,
  };
}

async function close(
  schedule: DateSchedule,
  command: CancelDateCommand,
  cause: Cause,
  { streams, clock, limits }: BookingContext,
): Promise<DateCancellationView | Refused> {
  const id = allotmentIdOf(schedule.activityId, schedule.date);
  const reply = await streams.allotments.handle(id, command, cause, clock.nowMs() + limits.responseMs);
  if (reply.kind === 'rejected') {
    if (reply.rejection.code === 'IDEMPOTENCY_KEY_REUSED') return keyReused();
    throw new Error(`${id} rejected CancelDate: ${reply.rejection.code}`);
  }
  if (reply.kind !== 'accepted') return noReply(reply);
  const { state: allotment, events, position } = reply;
  const view = viewOf({ schedule, allotment, position }, events.length === 0);
  if (view === null) throw new Error(`${id} accepted CancelDate, but was not cancelled`);
  return view;
}

function viewOf(
  { schedule, allotment, position }: Pick<AllotmentView, 'schedule' | 'allotment' | 'position'>,
  replayed: boolean,
): DateCancellationView | null {
  if (allotment.status === 'unopened' || allotment.cancellation === null) return null;
  const { cancellation, setCapacity } = allotment;
  return { kind: 'date-cancellation', schedule, cancellation, reopened: setCapacity !== 0, replayed, position };
}

/** The live bookings of a date. */
async function* bookingsOn({ activityId, date }: DateSchedule, { readModels, collection }: QuoteContext) {
  const every = { keyId: null, city: null, venueId: null, status: null, mode: 'live', reference: null } as const;
  const query = { ...every, idStart: null, codeStart: null, activityId, from: date, to: date, limit: PAGE };
  let after: Cursor | null = null;
  do {
    const page: Awaited<ReturnType<typeof listBookings>> = await listBookings(
      readModels,
      await collection('bookings'),
      { ...query, after },
    );
    yield* page.items;
    after = page.next;
  } while (after !== null);
}

function isOpen({ status }: { readonly status: string }): boolean {
  return status === 'open';
}
