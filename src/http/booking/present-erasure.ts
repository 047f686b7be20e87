import type { ErasureReport } from '../../application/booking/erasure.ts';
import type { GuestExport } from '../../application/booking/export-guest.ts';
import type { HttpContext } from '../context.ts';
import { presentBooking } from './present.ts';
import { presentHistory } from './present-history.ts';

export function presentErasure(report: ErasureReport) {
  const { erased, erasesAtMs, recordsLeft, rowsLeft } = report;
  return {
    booking_id: report.id,
    erased_at: erased?.at ?? null,
    erased_by: erased?.by ?? null,
    erases_at: isoOrNull(erasesAtMs),
    complete: erased !== null && recordsLeft === 0 && rowsLeft === 0,
    erased: [
      {
        what: 'guest_records',
        count: recordsLeft,
        text: `Name, mail address, special requests, \`reference\` and \`metadata\` are in streams of their own; left: ${recordsLeft}. The reaper deletes them within seconds of an erasure.`,
      },
      {
        what: 'list_rows',
        count: rowsLeft,
        text: `The read model \`guests\` repeats the data for lists; rows left: ${rowsLeft}. The projector deletes them within seconds of an erasure.`,
      },
    ],
    waiting: waitingFor(report),
    kept: KEPT.map((item) => (item.what === 'ledger_entry' ? { ...item, count: report.inLedger ? 1 : 0 } : item)),
  };
}

/** What the service cannot erase by itself: it names who does it. */
function waitingFor({ erased, mails, webhooks, sharedStores, mailsToOutbox }: ErasureReport) {
  const since = erased === null ? 'the erasure' : erased.at;
  const mailText = mailsToOutbox
    ? `Delete the \`.eml\` files of this booking in DATA_DIR/outbox.`
    : 'The mail server and the mailbox of the guest have them.';
  return [
    ...(sharedStores
      ? [
          {
            what: 'event_store_scavenge',
            count: null,
            text: `Every member of EventStoreDB keeps the bytes until it has completed a scavenge that began after ${since}. The service cannot see that: read the stream $scavenges, or GET /admin/scavenge/last of each member (24.10).`,
          },
          {
            what: 'read_model_files',
            count: null,
            text: 'MongoDB reuses the bytes of deleted rows, and drops its oplog, at its own time; `compact` of the collection frees them.',
          },
        ]
      : []),
    {
      what: 'backups',
      count: null,
      text: `Backups made before ${since} have the data until you delete them. A restored one is erased again before it serves, if the ledger of erasures was kept.`,
    },
    ...(mails === 0 ? [] : [{ what: 'sent_mails', count: mails, text: `Mails with the data were sent. ${mailText}` }]),
    ...(webhooks.length === 0
      ? []
      : [
          {
            what: 'webhook_receivers',
            count: webhooks.length,
            text: 'Webhooks with the data were sent. Ask the owner of the API key to erase it; repetitions show `[erased]`.',
          },
        ]),
  ];
}

const KEPT = [
  {
    what: 'booking',
    count: null,
    text: 'Activity, date, number of guests, prices, charges, refunds, voucher and visit: accounts, the venue and reports need them. They name nobody.',
  },
  {
    what: 'history',
    count: null,
    text: 'What happened when, and whether a key, a venue or an operator did it: the audit needs it.',
  },
  {
    what: 'fingerprints',
    count: null,
    text: 'Keyed digests of the data and of mail addresses: nobody can read them, and only a holder of the secret key could test a guess.',
  },
  {
    what: 'context_log',
    count: null,
    text: 'The profile of the recommendation, without a name: the ranking learns from it.',
  },
  { what: 'ledger_entry', count: 1, text: 'Booking id and time, so that a restored backup is erased again.' },
] as const;

/** `key_id`, `webhook_url` and the voucher belong to the key and the venue: the guest's copy leaves them out. */
export function presentGuestExport(exported: GuestExport, context: HttpContext) {
  const { view, history, records, mails, webhooks, erasesAtMs } = exported;
  const booked = presentBooking(view, context);
  return {
    exported_at: new Date(context.clock.nowMs()).toISOString(),
    erased: view.booking.guestErased,
    erases_at: isoOrNull(erasesAtMs),
    records: records.map(({ at, details: { name, email, specialRequests, reference, metadata } }) => ({
      recorded_at: at,
      user_name: name,
      user_email: email,
      special_requests: specialRequests,
      reference,
      metadata,
    })),
    booking: {
      booking_id: booked.booking_id,
      mode: booked.mode,
      status: booked.status,
      activity: booked.activity,
      pricing: booked.pricing,
      booking_date: booked.booking_date,
      num_adults: booked.num_adults,
      num_children: booked.num_children,
      created_at: booked.created_at,
      cancellation: booked.cancellation,
      visit: booked.visit,
      voided_visit: booked.voided_visit,
      context_log_id: booked.context_log_id,
    },
    history: presentHistory(history, view.booking.facts.keyId),
    mails: mails.map(({ at, to, messageId }) => ({ at, to, kind: 'voucher' as const, message_id: messageId })),
    webhooks: webhooks.map(({ at, event, receiver, status }) => ({ at, event, receiver, status })),
  };
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
