import type { BookingEvent } from '../../domain/booking/events.ts';
import { type GuestDetails, type GuestEvent, guestCodec, guestDecider, guestId } from '../../domain/guest/guest.ts';
import type { ClaimId, Fingerprint } from '../../domain/ids.ts';
import { fold } from '../../eventsourcing/decider.ts';
import type { Recorded } from '../../eventsourcing/message.ts';
import type { Digest } from '../../ports/digest.ts';
import { fingerprintOfAddress } from '../identifiers.ts';
import type { Refused } from '../refusal.ts';
import { type ErasureContext, erasesAtMs, isMail } from './erasure.ts';
import { type BookingView, bookingHistory, readBooking } from './read-booking.ts';
import { type SentWebhook, sentWebhooks } from './sent-webhooks.ts';

/** A record of the guest's data. `at`: when it was stored, ISO 8601 UTC. */
type GuestRecord = { readonly at: string; readonly details: GuestDetails };
/** `to`: null if no record has the address any more, or an earlier version sent the mail. */
type SentMail = { readonly at: string; readonly to: string | null; readonly messageId: string };

/** Everything that is stored about the guest of a booking, for a request of access. */
export type GuestExport = {
  readonly kind: 'export';
  readonly view: BookingView;
  readonly history: readonly Recorded<BookingEvent>[];
  /** Oldest first, replaced ones included; none after an erasure. */
  readonly records: readonly GuestRecord[];
  readonly mails: readonly SentMail[];
  readonly webhooks: readonly SentWebhook[];
  readonly erasesAtMs: number | null;
};

export async function exportGuest(
  id: string,
  context: ErasureContext & { readonly digest: Digest },
): Promise<GuestExport | Refused> {
  const view = await readBooking(id, 'operator', context);
  if (view.kind === 'refused') return view;
  const { booking } = view;
  const history = await bookingHistory(view.id, context.webhooks);
  const named = booking.guestErased ? [] : booking.guestRecords;
  const read = await Promise.all(named.map((record) => recordOf(record, context)));
  const records = read.filter((record) => record !== null);
  return {
    kind: 'export',
    view,
    history,
    records,
    mails: mailsIn(history, addressesOf(records, context.digest)),
    webhooks: await sentWebhooks(view, context),
    erasesAtMs: erasesAtMs(booking, context.erasing),
  };
}

async function recordOf(record: ClaimId, { webhooks }: ErasureContext): Promise<GuestRecord | null> {
  const read = await webhooks.store.read(`${guestCodec.category}-${guestId(record)}`);
  if (read.kind !== 'events') return null;
  // A stream has only events of its own category.
  const events = read.decoded as readonly Recorded<GuestEvent>[];
  const guest = fold(guestDecider, events);
  const [first] = events;
  return guest.status === 'none' || first === undefined ? null : { at: first.cause.at, details: guest.details };
}

/** The booking's events name an address by its keyed fingerprint. */
function addressesOf(records: readonly GuestRecord[], digest: Digest): ReadonlyMap<Fingerprint, string> {
  return new Map(records.map(({ details: { email } }) => [fingerprintOfAddress(digest, email), email]));
}

function mailsIn(
  history: readonly Recorded<BookingEvent>[],
  addresses: ReadonlyMap<Fingerprint, string>,
): readonly SentMail[] {
  return history.flatMap((event) => {
    if (!isMail(event)) return [];
    const { at, messageId, recipient } = event.data;
    return [{ at, messageId, to: recipient === null ? null : (addresses.get(recipient) ?? null) }];
  });
}
