import { describe, expect, test } from 'bun:test';
import type { ApiKeyEvent } from '../../../src/domain/apikey/apikey.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { publicFactsOf } from '../../../src/domain/booking/facts.ts';
import type { Recorded } from '../../../src/eventsourcing/message.ts';
import { keySettingsIn } from '../../../src/processes/schedule-deliveries/key-settings.ts';
import {
  type ScheduleDeliveriesState,
  type ScheduleDelivery,
  scheduleDeliveries,
} from '../../../src/processes/schedule-deliveries/process-manager.ts';
import type { StreamReader } from '../../../src/webhooks/stream-state.ts';
import {
  A_VOUCHER,
  allotment,
  aVisit,
  bookingFacts,
  bookingId,
  claimId,
  confirmation,
  keyFacts,
} from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { positionAt, recorder } from '../../support/recorded.ts';
import { roomFor } from '../../support/room.ts';

const AT = '2026-11-21T03:00:00.000Z';
const { keyId, activityId, venueId, city, category } = bookingFacts();
const OWN_URL = 'https://agent.example/1';
const endpoint = { kind: 'booking', origin: 'https://agent.example' } as const;
/** The catalogue was at this revision when the visit was verified. */
const AT_VISIT = 5;

/** All events of a booking, in a possible order. */
function aLife(): readonly Recorded<BookingEvent>[] {
  const record = recorder();
  const recorded = (event: BookingEvent) => record<BookingEvent>('booking-bk_1', event, { correlationId: 'req_7' });
  const booked = bookingFacts({ webhookUrl: OWN_URL });
  const mail = { messageId: '<bk_1@waymark>', at: AT };
  const attribution = null;
  return [
    recorded({ type: 'ClaimAbandoned', data: { claim: claimId('claim_0'), allotment: allotment('a-2026-12-24') } }),
    recorded(confirmation({ webhookUrl: OWN_URL })),
    recorded({ type: 'ChargeRecorded', data: { keyId, amountMinor: 1, currency: 'THB' } }),
    recorded({ type: 'VoucherIssued', data: A_VOUCHER }),
    recorded({ type: 'VoucherMailFailed', data: { ...mail, attempt: 1, reason: 'no answer', retryAtMs: null } }),
    recorded({
      type: 'VoucherMailed',
      data: { ...mail, providerId: null, recipient: null, publicFacts: publicFactsOf(booked) },
    }),
    recorded({
      type: 'VisitVerified',
      data: {
        ...aVisit(),
        keyId,
        activityId,
        venueId,
        city,
        category,
        numGuests: 3,
        attribution,
        disputed: false,
        opensAtMs: null,
        publicFacts: publicFactsOf(booked, AT_VISIT),
      },
    }),
  ];
}

function command(event: ScheduleDelivery['event'], stored: Recorded | undefined): ScheduleDelivery {
  if (stored === undefined) throw new Error('there is no such event');
  const { revision, position, id } = stored;
  const activityRevision = { booking_confirmed: 4, qr_verified: AT_VISIT }[event as string] ?? 0;
  return {
    key: `bk_1@${revision}`,
    position,
    event,
    keyChangedAt: null,
    bookingId: bookingId('bk_1'),
    bookingRevision: revision,
    facts: { keyId, endpoint, activityRevision },
    storedEventId: id,
    correlationId: 'req_7',
    at: AT,
  };
}

describe('the fan-out', () => {
  test('schedules a delivery for a confirmation, a mailed voucher and a visit, one after the other, and for nothing else', () => {
    const life = aLife();
    givenEvents(scheduleDeliveries, ...life)
      .thenDue(0, [command('booking_confirmed', life[1])])
      .whenDone(command('booking_confirmed', life[1]))
      .thenDue(0, [command('voucher_delivered', life[5])])
      .whenDone(command('voucher_delivered', life[5]))
      .thenDue(0, [command('qr_verified', life[6])])
      .whenDone(command('qr_verified', life[6]))
      .thenDue(0, []);
  });

  test('drops what was scheduled, and needs the log from the oldest that was not', () => {
    const life = aLife();
    givenEvents(scheduleDeliveries, ...life)
      .thenOldestOpen(positionAt(2))
      .whenDone(command('booking_confirmed', life[1]))
      .thenOldestOpen(positionAt(6))
      .whenDone(command('qr_verified', life[6]), command('voucher_delivered', life[5]))
      .thenDue(0, [])
      .thenOldestOpen(null);
  });

  test('skips commands in flight, and later ones of the same booking', () => {
    const life = aLife();
    const [, first] = life;
    if (first === undefined) throw new Error('there is no confirmation');
    const ofOther = { stream: 'booking-bk_2', position: positionAt(8) };
    const state = fold([...life, { ...first, ...ofOther }]);
    const room = { ...roomFor(1), busy: (key: string) => key === 'bk_1@1' };
    expect(scheduleDeliveries.due(state, 0, room)).toEqual([
      {
        ...command('booking_confirmed', first),
        key: 'bk_2@1',
        bookingId: bookingId('bk_2'),
        position: positionAt(8),
      },
    ]);
  });

  test('gives each command the place of the last change of its key before the event', () => {
    const record = recorder();
    const changed = (key: string) => record<ApiKeyEvent>(`apikey-${key}`, { type: 'KeyDeactivated', data: { at: AT } });
    const booked = (id: string) => record<BookingEvent>(`booking-${id}`, confirmation());
    const state = fold([changed('key_1'), booked('bk_1'), changed('key_2'), changed('key_1'), booked('bk_2')]);
    const due = scheduleDeliveries.due(state, 0, roomFor(9));
    expect(due.map(({ keyChangedAt }) => keyChangedAt)).toEqual([positionAt(1), positionAt(4)]);
    expect(scheduleDeliveries.oldestOpen(state)).toBe(positionAt(2));
  });

  test('knows nothing but the event, if an earlier version stored it', () => {
    const { publicFacts: _, ...data } = confirmation().data;
    const [due] = scheduleDeliveries.due(
      fold([recorder()<BookingEvent>('bookingtest-tbk_1', { type: 'BookingConfirmed', data })]),
      0,
      roomFor(1),
    );
    expect(due).toMatchObject({ event: 'booking_confirmed', bookingId: 'tbk_1', facts: null });
  });
});

function fold(events: readonly Recorded<BookingEvent | ApiKeyEvent>[]): ScheduleDeliveriesState {
  return events.reduce((state, event) => scheduleDeliveries.react(state, event), scheduleDeliveries.initial);
}

describe('the settings of a key', () => {
  const record = recorder();
  const created: ApiKeyEvent = { type: 'KeyCreated', data: keyFacts() };
  const changed = (webhookUrl: string | null): ApiKeyEvent => ({
    type: 'KeyChanged',
    data: { changes: { webhookUrl }, at: AT },
  });
  const stored = [created, changed('https://one.example/'), changed('https://two.example/')].map((event) =>
    record<ApiKeyEvent>('apikey-key_1', event),
  );
  /** A store whose stream has this many of the events, and the number of its reads. */
  const storeWith = (count: () => number) => {
    const reads: string[] = [];
    const read: StreamReader['read'] = (stream) => {
      reads.push(stream);
      const decoded = stored.slice(0, count());
      return Promise.resolve({ kind: 'events', events: [], decoded, upTo: decoded.length - 1 });
    };
    return { reads, settingsAt: keySettingsIn({ read }) };
  };

  test('are those at the position, whatever was set later, and are read once', async () => {
    const { reads, settingsAt } = storeWith(() => 3);
    const urlAt = async (place: number) => (await settingsAt(keyId, positionAt(place), null))?.webhookUrl;
    expect(await Promise.all([1, 2, 3, 4, 9].map(urlAt))).toEqual([
      undefined,
      null,
      'https://one.example/',
      'https://two.example/',
      'https://two.example/',
    ]);
    expect(reads).toEqual(['apikey-key_1']);
  });

  test('are read again after a change that was not read, and only then', async () => {
    let count = 2;
    const { reads, settingsAt } = storeWith(() => count);
    const urlAt = async (place: number, changedAt: number) =>
      (await settingsAt(keyId, positionAt(place), positionAt(changedAt)))?.webhookUrl;
    expect(await urlAt(3, 2)).toBe('https://one.example/');
    count = 3;
    expect(await urlAt(3, 2)).toBe('https://one.example/');
    expect(reads).toHaveLength(1);
    expect(await urlAt(4, 3)).toBe('https://two.example/');
    expect(await urlAt(3, 2)).toBe('https://one.example/');
    expect(reads).toHaveLength(2);
  });
});
