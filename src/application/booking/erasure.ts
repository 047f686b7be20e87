import { loadGuests } from '../../../projections/guests/query.ts';
import type { BookingEvent, EventData } from '../../domain/booking/events.ts';
import { audienceOf } from '../../domain/booking/notices.ts';
import { endedAtMs } from '../../domain/booking/retention.ts';
import type { ExistingBooking } from '../../domain/booking/state.ts';
import { guestCodec, guestId } from '../../domain/guest/guest.ts';
import type { ClaimId } from '../../domain/ids.ts';
import type { Cause, Recorded } from '../../eventsourcing/message.ts';
import type { ErasureLedger } from '../../ports/erasure-ledger.ts';
import type { DecodedEventStore } from '../../ports/event-store.ts';
import type { ReadModelStore } from '../../ports/read-model-store.ts';
import type { Refused } from '../refusal.ts';
import type { BookingContext } from './booking-context.ts';
import { type ChangedBooking, eraseGuest } from './operate-booking.ts';
import { type BookingView, bookingHistory, type ReadContext, readBooking } from './read-booking.ts';
import { type SentWebhook, sentWebhooks } from './sent-webhooks.ts';

/** What an installation knows about erasures. */
export type ErasingContext = {
  readonly ledger: ErasureLedger;
  /** How long guests' data is kept after a booking has ended; null: until an erasure is requested. */
  readonly retentionMs: number | null;
  /** EventStoreDB and MongoDB, which keep deleted bytes for a while. */
  readonly sharedStores: boolean;
  readonly mailsToOutbox: boolean;
};

export type ErasureContext = ReadContext & {
  readonly erasing: ErasingContext;
  readonly readModels: Pick<ReadModelStore, 'find' | 'load'>;
  /** The collection that serves a projection's queries. */
  readonly collection: (projection: string) => Promise<string>;
  readonly webhooks: { readonly store: Pick<DecodedEventStore, 'read'> };
};

/** What is left of a guest's data, and what an erasure reaches or reached. */
export type ErasureReport = Pick<BookingView, 'id'> & {
  readonly kind: 'erasure';
  /** Null: not erased. */
  readonly erased: Pick<EventData<'GuestErased'>, 'at' | 'by'> | null;
  /** When the service erases it by itself, ms since the epoch; null: erased, or never. */
  readonly erasesAtMs: number | null;
  /** Streams with a record of the guest. */
  readonly recordsLeft: number;
  /** Rows in the read model of guests. */
  readonly rowsLeft: number;
  readonly inLedger: boolean;
  readonly mails: number;
  readonly webhooks: readonly SentWebhook[];
  readonly sharedStores: boolean;
  readonly mailsToOutbox: boolean;
};

export async function readErasure(id: string, context: ErasureContext): Promise<ErasureReport | Refused> {
  const view = await readBooking(id, 'operator', context);
  if (view.kind === 'refused') return view;
  const { booking } = view;
  const { erasing, readModels, collection, webhooks } = context;
  const { ledger, sharedStores, mailsToOutbox } = erasing;
  const events = await bookingHistory(view.id, webhooks);
  const erased = erasureIn(events)?.data ?? null;
  const records = erased?.records ?? booking.guestRecords;
  const rows = await loadGuests(readModels, await collection('guests'), records);
  return {
    kind: 'erasure',
    id: view.id,
    erased,
    erasesAtMs: erasesAtMs(booking, erasing),
    recordsLeft: (await Promise.all(records.map((each) => isRecorded(each, webhooks.store)))).filter(Boolean).length,
    rowsLeft: [...rows.values()].filter((row) => row !== null).length,
    inLedger: (await ledger.of(view.id)) !== null,
    mails: events.filter(isMail).length,
    webhooks: await sentWebhooks(view, context),
    sharedStores,
    mailsToOutbox,
  };
}

/** When the service erases the guest by itself, ms since the epoch; null: erased, or never. */
export function erasesAtMs(
  booking: ExistingBooking,
  { retentionMs }: Pick<ErasingContext, 'retentionMs'>,
): number | null {
  return booking.guestErased || retentionMs === null ? null : endedAtMs(booking) + retentionMs;
}

/**
 * Erases the guest of a booking and records it in the ledger, so that an answered erasure outlives a restored backup.
 * @throws StoreUnavailable if the ledger is unavailable. The reaper records the erasure later, and so does a repetition
 */
export async function eraseAndRecord(
  id: string,
  cause: Cause,
  context: BookingContext & Pick<ErasureContext, 'webhooks'> & { readonly erasing: Pick<ErasingContext, 'ledger'> },
): Promise<ChangedBooking | Refused> {
  const changed = await eraseGuest(id, cause, context);
  if (changed.kind === 'refused') return changed;
  const erased = erasureIn(await bookingHistory(changed.id, context.webhooks));
  if (erased === null) throw new Error(`${changed.id} counts as erased without GuestErased`);
  await context.erasing.ledger.record({ booking: changed.id, position: erased.position, at: erased.data.at });
  return changed;
}

/** Whether a mail with the guest's data was accepted by the mail server. */
export function isMail<E extends BookingEvent>(event: E): event is Extract<E, { type: SentMail }> {
  return (
    event.type === 'VoucherMailed' ||
    event.type === 'ReplacedVoucherMailed' ||
    (event.type === 'NoticeMailed' && audienceOf(event.data.kind) === 'guest')
  );
}

type SentMail = 'VoucherMailed' | 'ReplacedVoucherMailed' | 'NoticeMailed';

/** The event that erased the booking's guest; null without one. */
export function erasureIn(events: readonly Recorded<BookingEvent>[]) {
  return events.find((event) => event.type === 'GuestErased') ?? null;
}

async function isRecorded(record: ClaimId, store: Pick<DecodedEventStore, 'read'>): Promise<boolean> {
  const read = await store.read(`${guestCodec.category}-${guestId(record)}`, 0, 1);
  return read.kind === 'events' && read.events.length > 0;
}
