import { describe, expect, test } from 'bun:test';
import { EMBEDDED_POSITIONS } from '../../../src/adapters/sqlite/event-rows.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { CODECS } from '../../../src/domain/codecs.ts';
import type { DeliveryEvent, DeliveryFacts } from '../../../src/domain/delivery/delivery.ts';
import type { GuestEvent } from '../../../src/domain/guest/guest.ts';
import { categoryOf, type StoredEvent } from '../../../src/ports/event-store.ts';
import { checkpointCodec } from '../../../src/runtime/low-water-checkpoint.ts';
import { cancelled } from '../../support/booking-life.ts';
import {
  A_VOUCHER,
  bookingFacts,
  bookingId,
  claimId,
  confirmation,
  fingerprint,
  keyId,
  publicEventId,
} from '../../support/examples.ts';
import { positionAt, recorder } from '../../support/recorded.ts';
import { auditAllOut, auditOutbound, type Peers, unrecorded } from './audit-outbound.ts';
import { readHistory } from './history.ts';
import { readOutbound } from './outbound.ts';
import type { Heard } from './webhook-peer.ts';

const BOOKING = bookingId('bk_7gk2m0q9xw4t1zc8rb5n');
const CLAIM = claimId('claim_1');
const READER = 'quetzal-000001@example.com';
const MESSAGE_ID = `<${BOOKING}.1@waymark.localhost>`;
const AT = '2026-11-21T03:00:00.000Z';
const ATTEMPT = { attempt: 1, keyRevision: 0, endpointId: null, responseTimeMs: 4, at: AT };

type Checkpoint = { readonly type: 'CheckpointStored'; readonly data: { readonly position: string } };
type Entry = readonly [stream: string, event: BookingEvent | DeliveryEvent | GuestEvent | Checkpoint];
type Log = Readonly<Record<string, Entry>>;

const facts = bookingFacts();
const booking = (event: BookingEvent): Entry => [`booking-${BOOKING}`, event];
const delivery = (id: string, event: DeliveryEvent): Entry => [`delivery-${id}`, event];
const scheduled = (id: string, of: Partial<DeliveryFacts>): Entry => {
  const named: DeliveryFacts = {
    eventId: publicEventId(`evt_${id}`),
    event: 'booking_confirmed',
    bookingId: BOOKING,
    bookingRevision: 0,
    keyId: keyId('key_1'),
    endpoint: { kind: 'key' },
    activityRevision: 0,
    at: AT,
    ...of,
  };
  return delivery(id, { type: 'DeliveryScheduled', data: named });
};
const succeeded = (id: string): Entry =>
  delivery(id, { type: 'DeliverySucceeded', data: { ...ATTEMPT, responseCode: 200 } });
const checkpoint = (manager: string, place: number): Entry => [
  `checkpoint-${manager}`,
  { type: 'CheckpointStored', data: { position: EMBEDDED_POSITIONS.format(positionAt(place)) } },
];
const mailed: BookingEvent = {
  type: 'VoucherMailed',
  data: { messageId: MESSAGE_ID, providerId: 'Q00000001', recipient: null, at: AT },
};

/** A booking with a mail sent at the second attempt, two deliveries, and each checkpoint at its latest possible position. */
const LOG: Log = {
  guest: [
    `guest-${CLAIM}`,
    {
      type: 'GuestRecorded',
      data: { booking: BOOKING, fingerprint: facts.guest, name: 'Guest', email: READER, specialRequests: null },
    },
  ],
  confirmed: booking(confirmation()),
  voucher: booking({ type: 'VoucherIssued', data: A_VOUCHER }),
  failed: booking({
    type: 'VoucherMailFailed',
    data: { messageId: MESSAGE_ID, attempt: 1, reason: 'DATA 450', retryAtMs: 1, at: AT },
  }),
  // The failed attempt, which is the fourth event, makes the mail pending again.
  mailsBefore: checkpoint('voucher-mailer', 3),
  first: scheduled('dlv_1', {}),
  fanOutBetween: checkpoint('webhook-fan-out', 2),
  mailed: booking(mailed),
  deliveriesBefore: checkpoint('webhook-deliverer', 5),
  delivered: succeeded('dlv_1'),
  second: scheduled('dlv_2', { event: 'voucher_delivered', bookingRevision: 3 }),
  toldToo: succeeded('dlv_2'),
  mailsAfter: checkpoint('voucher-mailer', 12),
  fanOutAfter: checkpoint('webhook-fan-out', 12),
  deliveriesAfter: checkpoint('webhook-deliverer', 12),
};

const heard = (id: string, change: Partial<Heard> = {}): Heard => ({
  deliveryId: id,
  eventId: `evt_${id}`,
  event: 'booking_confirmed',
  bookingId: BOOKING,
  sequence: 1,
  body: '{}',
  arrivals: 1,
  acknowledged: 1,
  refused: 0,
  ...change,
});
const HEARD = [heard('dlv_1'), heard('dlv_2', { event: 'voucher_delivered', sequence: 4 })];
const COPY = {
  messageId: MESSAGE_ID,
  queuedAs: 'Q00000001',
  text: `Your voucher ${A_VOUCHER.code}`,
  acknowledged: true,
};

function peers(
  {
    copies = [COPY],
    offered = [MESSAGE_ID],
    reader = READER,
  }: Partial<Record<'offered', readonly string[]>> & {
    readonly copies?: readonly (typeof COPY)[];
    readonly reader?: string;
  } = {},
  events: readonly Heard[] = HEARD,
): Peers {
  const mailboxes = new Map([[reader, { messageIds: new Set(offered), accepted: copies }]]);
  return { mail: { mailboxes }, webhook: { heard: new Map(events.map((each) => [each.deliveryId, each])) } };
}

function storedOf(log: Log): StoredEvent[] {
  const record = recorder();
  return Object.values(log).map(([stream, event]) => {
    const codec = [...CODECS, checkpointCodec].find(({ category }) => category === categoryOf(stream));
    if (codec === undefined) throw new Error(`no codec for ${stream}`);
    return { ...record(stream, event), ...codec.encode(event) };
  });
}

function audit(log: Log, came: Peers = peers()): readonly string[] {
  const stored = storedOf(log);
  return auditOutbound(readHistory(stored), readOutbound(stored, EMBEDDED_POSITIONS), came);
}

function cutOff(log: Log, came: Peers): number[][] {
  const stored = storedOf(log);
  const { mails, attempts } = unrecorded(readHistory(stored), readOutbound(stored, EMBEDDED_POSITIONS), came);
  return [[...mails.values()], [...attempts.values()]];
}

function auditEnd(log: Log): readonly string[] {
  const stored = storedOf(log);
  return auditAllOut(readHistory(stored), readOutbound(stored, EMBEDDED_POSITIONS));
}

describe('the mails and events that were sent agree with the log', () => {
  test('if each arrived once and is recorded', () => {
    expect([audit(LOG), auditEnd(LOG)]).toEqual([[], []]);
    expect(cutOff(LOG, peers())).toEqual([[0], [0, 0]]);
  });

  test('but not if a notice was recorded twice, or passed by a checkpoint before it was sent', () => {
    const { guest, confirmed, voucher } = LOG;
    const data = {
      kind: 'cancelled',
      version: 2,
      messageId: `<${BOOKING}.cancelled.2@waymark.localhost>`,
      at: AT,
    } as const;
    const notice: BookingEvent = {
      type: 'NoticeMailed',
      data: { ...data, replaced: false, providerId: 'Q00000002', recipient: fingerprint('ADA') },
    };
    const copy = { messageId: data.messageId, queuedAs: 'Q00000002', text: '', acknowledged: true };
    const came = peers({ copies: [copy], offered: [data.messageId] }, []);
    const log = { guest, confirmed, voucher, cancelled: booking(cancelled()) };
    expect(audit({ ...log, noticed: booking(notice) } as Log, came)).toEqual([]);
    expect(audit({ ...log, noticed: booking(notice), again: booking(notice) } as Log, came)).toEqual([
      `${BOOKING}.cancelled.2 has 2 mails on record`,
    ]);
    expect(audit({ ...log, passed: checkpoint('voucher-mailer', 4) } as Log, peers({}, []))).toEqual([
      `the checkpoint of voucher-mailer at 5 has passed the notice ${BOOKING}.cancelled.2`,
    ]);
    expect(audit({ ...log, noticed: booking(notice) } as Log, peers({}, []))).toEqual([
      `${BOOKING}.cancelled.2 is on record as mailed, and the mail server did not say so`,
    ]);
  });

  test('if a booking was cancelled while its mail was being sent, and a checkpoint passed the mail', () => {
    const { guest, confirmed, voucher } = LOG;
    const log = { guest, confirmed, voucher, cancelled: booking(cancelled()), passed: checkpoint('voucher-mailer', 3) };
    expect(audit({ ...log, mailed: booking(mailed) } as Log, peers({}, []))).toEqual([]);
  });

  test('if one arrived twice because a kill prevented its record: it is counted', () => {
    const again = peers({ copies: [{ ...COPY, queuedAs: 'Q00000000', acknowledged: false }, COPY] }, [
      heard('dlv_1', { arrivals: 3, acknowledged: 2 }),
      ...HEARD.slice(1),
    ]);
    expect(audit(LOG, again)).toEqual([]);
    expect(cutOff(LOG, again)).toEqual([[1], [2, 0]]);
  });
});

describe('a fault is', () => {
  const { mailed: _mailed, ...unmailed } = LOG;
  const other = `<${BOOKING}.1@elsewhere.localhost>`;
  const more = (entry: Entry): Log => ({ ...LOG, more: entry });
  const instead = (name: string, entry: Entry): Log => ({ ...LOG, [name]: entry });
  const [first = heard('dlv_1'), second = heard('dlv_2')] = HEARD;

  const faulty: readonly (readonly [fault: string, log: Log, came: Peers])[] = [
    ['has 2 mails on record', more(booking(mailed)), peers()],
    [`was mailed as ${MESSAGE_ID} and ${other}`, LOG, peers({ offered: [MESSAGE_ID, other] })],
    ['is on record as mailed, and the mail server did not say so', LOG, peers({ copies: [] })],
    ['is on record as mailed, and the mail server did not', LOG, peers({ copies: [{ ...COPY, acknowledged: false }] })],
    ['is not the voucher of', LOG, peers({ copies: [{ ...COPY, text: 'Your voucher WM-7' }] })],
    ['came for bob@example.com, who booked nothing', LOG, peers({ reader: 'bob@example.com' })],
    ['is of a qr_verified that did not happen', more(scheduled('dlv_3', { event: 'qr_verified' })), peers()],
    ['booking_confirmed of bk_7gk2m0q9xw4t1zc8rb5n is both dlv_1 and dlv_3', more(scheduled('dlv_3', {})), peers()],
    [
      'dlv_1 and dlv_2 are both of evt_dlv_1',
      instead('second', scheduled('dlv_2', { eventId: publicEventId('evt_dlv_1'), bookingRevision: 3 })),
      peers(),
    ],
    ['dlv_1 was scheduled twice', more(scheduled('dlv_1', {})), peers()],
    ['DeliverySucceeded of dlv_1 stands where it is not open', more(succeeded('dlv_1')), peers()],
    ['dlv_1 is on record as acknowledged', LOG, peers({}, [{ ...first, acknowledged: 0 }, second])],
    ['dlv_1 has 1 attempts on record, and came 0 times', LOG, peers({}, [second])],
    ['dlv_3 came, a booking_confirmed of', LOG, peers({}, [first, second, heard('dlv_3')])],
    ['dlv_1 came as {"eventId":"evt_7"', LOG, peers({}, [{ ...first, eventId: 'evt_7' }, second])],
    ['at 7 has passed booking_confirmed', instead('first', checkpoint('any', 0)), peers()],
    ['at 5 has passed the mail of', instead('mailsBefore', checkpoint('voucher-mailer', 4)), peers()],
    ['at 9 has passed dlv_1', instead('deliveriesBefore', checkpoint('webhook-deliverer', 6)), peers()],
    ['at 12 has passed the mail of', unmailed, peers()],
  ];
  test.each(faulty)('%s', (fault, log, came) => {
    expect(audit(log, came).filter((found) => found.includes(fault))).not.toEqual([]);
  });

  test('a mail or event that never arrives', () => {
    const { mailed: _sent, second: _second, toldToo: _toldToo, delivered: _delivered, ...rest } = LOG;
    expect(auditEnd(rest)).toEqual([
      `${BOOKING} has 0 mails of its voucher 1 on record`,
      'dlv_1 of booking_confirmed is open',
      `booking_confirmed of ${BOOKING} never arrived`,
    ]);
  });
});
