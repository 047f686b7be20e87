import { describe, expect, test } from 'bun:test';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import type { Recorded } from '../../../src/eventsourcing/message.ts';
import {
  type ScheduleDelivery,
  scheduleDeliveries,
} from '../../../src/processes/schedule-deliveries/process-manager.ts';
import {
  A_VOUCHER,
  allotment,
  aVisit,
  bookingFacts,
  bookingId,
  claimId,
  confirmation,
} from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { positionAt, recorder } from '../../support/recorded.ts';
import { roomFor } from '../../support/room.ts';

const AT = '2026-11-21T03:00:00.000Z';
const { keyId, activityId, venueId, city, category } = bookingFacts();

/** All events of a booking, in a possible order. */
function aLife(): readonly Recorded<BookingEvent>[] {
  const record = recorder();
  const recorded = (event: BookingEvent) => record<BookingEvent>('booking-bk_1', event, { correlationId: 'req_7' });
  const mail = { messageId: '<bk_1@waymark>', at: AT };
  const attribution = null;
  return [
    recorded({ type: 'ClaimAbandoned', data: { claim: claimId('claim_0'), allotment: allotment('a-2026-12-24') } }),
    recorded(confirmation({ webhookUrl: 'https://agent.example/1' })),
    recorded({ type: 'ChargeRecorded', data: { keyId, amountMinor: 1, currency: 'THB' } }),
    recorded({ type: 'VoucherIssued', data: A_VOUCHER }),
    recorded({ type: 'VoucherMailFailed', data: { ...mail, attempt: 1, reason: 'no answer', retryAtMs: null } }),
    recorded({ type: 'VoucherMailed', data: { ...mail, providerId: null } }),
    recorded({
      type: 'VisitVerified',
      data: { ...aVisit(), keyId, activityId, venueId, city, category, numGuests: 3, attribution },
    }),
  ];
}

function command(event: ScheduleDelivery['event'], stored: Recorded | undefined): ScheduleDelivery {
  if (stored === undefined) throw new Error('there is no such event');
  const { revision, position, id } = stored;
  const facts = { keyId: bookingFacts().keyId, webhookUrl: 'https://agent.example/1', activityId };
  return {
    key: `bk_1@${revision}`,
    position,
    event,
    booking: bookingId('bk_1'),
    revision,
    facts: event === 'booking_confirmed' ? facts : null,
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
    const state = [...life, { ...first, ...ofOther }].reduce(
      (open, event) => scheduleDeliveries.react(open, event),
      scheduleDeliveries.initial,
    );
    const room = { ...roomFor(1), busy: (key: string) => key === 'bk_1@1' };
    expect(scheduleDeliveries.due(state, 0, room)).toEqual([
      {
        ...command('booking_confirmed', first),
        key: 'bk_2@1',
        booking: bookingId('bk_2'),
        position: positionAt(8),
      },
    ]);
  });
});
