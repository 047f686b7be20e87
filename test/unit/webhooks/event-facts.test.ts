import { describe, expect, test } from 'bun:test';
import { activityCodec } from '../../../src/domain/activity/decider.ts';
import type { ApiKeyEvent } from '../../../src/domain/apikey/apikey.ts';
import { apiKeyCodec } from '../../../src/domain/apikey/decider.ts';
import { type BookingEvent, bookingCodec } from '../../../src/domain/booking/events.ts';
import { decodeEvent } from '../../../src/domain/codecs.ts';
import { ERASED, guestCodec, NO_CALLER_DATA } from '../../../src/domain/guest/guest.ts';
import type { Codec } from '../../../src/eventsourcing/codec.ts';
import type { DomainEvent } from '../../../src/eventsourcing/message.ts';
import type { StoredEvent } from '../../../src/ports/event-store.ts';
import { type LoggedFacts, readDeliveryDetails } from '../../../src/webhooks/delivery-log.ts';
import { readEventFacts } from '../../../src/webhooks/event-facts.ts';
import type { StreamReader } from '../../../src/webhooks/stream-state.ts';
import {
  A_VOUCHER,
  anActivity,
  bookingId,
  confirmation,
  fingerprint,
  keyFacts,
  keyId,
  publicEventId,
} from '../../support/examples.ts';
import { recorder } from '../../support/recorded.ts';

const NAMED = {
  eventId: publicEventId('evt_1'),
  bookingId: bookingId('bk_1'),
  bookingRevision: 0,
  activityRevision: 0,
};
const ADA = { ...NO_CALLER_DATA, name: 'Ada Lovelace', email: 'ada@example.com', specialRequests: null };
const MAILED: BookingEvent = {
  type: 'VoucherMailed',
  data: { messageId: '<1@waymark>', providerId: null, recipient: null, at: '2026-11-21T03:00:01.000Z' },
};
const BOOKED: readonly BookingEvent[] = [
  confirmation(),
  { type: 'ChargeRecorded', data: { keyId: keyId('key_1'), amountMinor: 207_000, currency: 'THB' } },
  { type: 'VoucherIssued', data: A_VOUCHER },
];

/** A store that holds these streams. */
function holding(streams: Readonly<Record<string, readonly StoredEvent[]>>): StreamReader {
  return {
    read: (stream) => {
      const events = streams[stream];
      const upTo = events?.at(-1)?.revision ?? -1;
      if (events === undefined) return Promise.resolve({ kind: 'no-stream' });
      const decoded = events.map(decodeEvent).filter((event) => event !== null);
      return Promise.resolve({ kind: 'events', events, decoded, upTo });
    },
  };
}

function stored<E extends DomainEvent>(codec: Codec<E>, stream: string, events: readonly E[]): readonly StoredEvent[] {
  const record = recorder();
  return events.map((event) => ({ ...record<E>(stream, event), ...codec.encode(event) }));
}

/** The booking with its guest and its activity, which was renamed, by the catalogue and by an operator. */
function aStore(guest = fingerprint('GUEST1'), booked = [...BOOKED, MAILED]): StreamReader {
  const titled = (title: string) => {
    const activity = anActivity();
    return anActivity({ texts: { ...activity.texts, en: { ...activity.texts.en, title } } });
  };
  return holding({
    'booking-bk_1': stored(bookingCodec, 'booking-bk_1', booked),
    'guest-claim_1': stored(guestCodec, 'guest-claim_1', [
      { type: 'GuestRecorded', data: { booking: bookingId('bk_1'), fingerprint: guest, ...ADA } },
    ]),
    'activity-bkk-ocean-world': stored(activityCodec, 'activity-bkk-ocean-world', [
      { type: 'ActivityListed', data: { activity: titled('Old name'), digest: '1' } },
      { type: 'ActivityUpdated', data: { activity: titled('New name'), digest: '2' } },
      { type: 'ActivityOverridden', data: { activity: titled("The operator's name"), digest: '3' } },
      { type: 'ActivityUpdated', data: { activity: titled('Newest name'), digest: '4' } },
      { type: 'OverrideWithdrawn', data: {} },
    ]),
  });
}

describe('the facts around an event', () => {
  test.each([
    [0, 'Old name'],
    [1, 'New name'],
    [2, "The operator's name"],
    [3, "The operator's name"],
    [4, 'Newest name'],
  ])('have the catalogue as of revision %d', async (activityRevision, title) => {
    const { activity } = await readEventFacts({ ...NAMED, activityRevision }, aStore());
    expect(activity?.texts.en.title).toBe(title);
  });

  test('have the booking as of the event, and the voucher that was issued with it', async () => {
    const { booking, bookingEvent, voucherCode } = await readEventFacts(NAMED, aStore());
    expect([booking.mail.status, booking.chargedMinor, bookingEvent.type]).toEqual(['unsent', 0, 'BookingConfirmed']);
    expect(voucherCode).toBe(A_VOUCHER.code);
  });

  test('have the voucher valid at the event', async () => {
    const later: BookingEvent = { type: 'VoucherIssued', data: { ...A_VOUCHER, code: 'WM-LATER' } };
    const store = aStore(fingerprint('GUEST1'), [...BOOKED, MAILED, later]);
    const { bookingEvent, voucherCode } = await readEventFacts({ ...NAMED, bookingRevision: 3 }, store);
    expect([bookingEvent.type, voucherCode]).toEqual(['VoucherMailed', A_VOUCHER.code]);
  });

  test('have the guest record that the booking names, and no other', async () => {
    expect((await readEventFacts(NAMED, aStore())).guest).toEqual(ADA);
    expect((await readEventFacts(NAMED, aStore(fingerprint('ANOTHER')))).guest).toEqual(ERASED);
  });

  test('do not change with later events', async () => {
    const before = await readEventFacts(NAMED, aStore(fingerprint('GUEST1'), [...BOOKED]));
    expect(await readEventFacts(NAMED, aStore())).toEqual(before);
  });

  test('are missing where the booking has no such event', async () => {
    const fault = await readEventFacts({ ...NAMED, bookingRevision: 4 }, aStore()).catch((thrown: unknown) => thrown);
    expect(fault).toEqual(new Error('booking-bk_1 does not hold the event at revision 4'));
  });
});

/** The same streams with an event of another program before each event, which no read returns. */
function withGaps(store: StreamReader): StreamReader {
  return {
    async read(stream) {
      const read = await store.read(stream);
      if (read.kind !== 'events') return read;
      const decoded = read.decoded.map((event) => ({ ...event, revision: event.revision * 2 + 1 }));
      return { ...read, decoded, upTo: read.upTo * 2 + 1 };
    },
  };
}

test('the facts are found by revision even if other programs wrote to the streams', async () => {
  const named = { ...NAMED, activityRevision: 2 };
  const [plain, gaps] = [aStore(), withGaps(aStore())];
  for (const bookingRevision of [0, 1, 2, 3]) {
    const facts = await readEventFacts({ ...named, bookingRevision }, plain);
    const found = await readEventFacts(
      { ...named, bookingRevision: bookingRevision * 2 + 1, activityRevision: 5 },
      gaps,
    );
    expect(found).toEqual({ ...facts, bookingEvent: { ...facts.bookingEvent, revision: bookingRevision * 2 + 1 } });
  }
  const fault = await readEventFacts({ ...named, bookingRevision: 2 }, gaps).catch((thrown: unknown) => thrown);
  expect(fault).toEqual(new Error('booking-bk_1 does not hold the event at revision 2'));
});

describe('the log shows the URL', () => {
  const created = (webhookUrl: string): ApiKeyEvent => ({ type: 'KeyCreated', data: keyFacts({ webhookUrl }) });
  const shown = async (
    change: Partial<LoggedFacts>,
    between = (store: StreamReader) => store,
  ): Promise<string | null> => {
    const { read } = aStore();
    // The state of a key at a revision is the fold of its events up to there.
    const events = [created('https://old.example/'), created('https://new.example/')];
    const keys = between(holding({ 'apikey-key_1': stored(apiKeyCodec, 'apikey-key_1', events) }));
    const store = { read: (stream: string) => (stream.startsWith('apikey-') ? keys : { read }).read(stream) };
    const endpoint = { kind: 'key' } as const;
    return (
      await readDeliveryDetails(
        { ...NAMED, keyId: keyId('key_1'), endpoint, keyRevision: null, ...change },
        'shown',
        store,
      )
    ).url;
  };

  test('that the key had at the last attempt', async () => {
    expect(await shown({ keyRevision: 0 })).toBe('https://old.example/');
    expect(await shown({ keyRevision: 1 })).toBe('https://new.example/');
  });

  test('that the key had at the last attempt, even if another program wrote to its stream', async () => {
    for (const [keyRevision, url] of [
      [1, 'https://old.example/'],
      [2, 'https://old.example/'],
      [3, 'https://new.example/'],
    ] as const)
      expect(await shown({ keyRevision }, withGaps)).toBe(url);
  });

  test('that the key has now, if there was no attempt', async () => {
    expect(await shown({ keyRevision: null })).toBe('https://new.example/');
  });
});
