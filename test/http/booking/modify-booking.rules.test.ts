import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { BookingFacts } from '../../../src/domain/booking/facts.ts';
import { bookingId } from '../../support/examples.ts';
import { cancelled, changeCatalogue, command, eventsOf, freeOn, modify, quote } from '../../support/modifications.ts';
import { openService, type Service, TODAY, TOMORROW, withKey } from '../../support/service.ts';
import { refused } from '../../support/service-answers.ts';
import { writeServiceCatalogue } from '../../support/service-catalogue.ts';

const LATER = '2026-11-25';
const EVERY_CHANGE = [
  { booking_date: '2026-11-26' },
  { num_adults: 3 },
  { num_adults: 1 },
  { user_name: 'Augusta' },
  {},
];

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.stop());

function unmodifiable(sentence: string, why: string) {
  return refused(409, 'BOOKING_NOT_MODIFIABLE', sentence, { details: `status: ${why}`, resolution: 'choose_other' });
}

describe('a booking is not found', () => {
  test.each(['bk_00000000000000000000', 'bk_1', 'BK_00000000000000000000'])('under %s', async (id) => {
    const answer = await modify(service, { booking_id: id }, { num_adults: 1 }, { 'idempotency-key': 'wish' });
    expect(answer.refusal.code).toBe('BOOKING_NOT_FOUND');
  });

  test('with another key than it was made with', async () => {
    const { data: booking } = await service.book({ booking_date: LATER });
    const other = withKey((await service.createKey()).key);
    const message = `booking_id "${booking.booking_id}" does not exist among this key's bookings; check the id.`;
    for (const ask of [modify, quote]) {
      const { refusal } = await ask(service, booking, { num_adults: 1 }, other);
      expect(refusal).toEqual(refused(404, 'BOOKING_NOT_FOUND', message));
    }
  });
});

describe('a booking can no longer be changed', () => {
  async function refusesEverything(id: string, sentence: string, why: string): Promise<void> {
    const { data: before, headers } = await service.booking(id);
    for (const change of EVERY_CHANGE) {
      for (const ask of [modify, quote]) {
        const { refusal } = await ask(service, before, change);
        expect(refusal).toEqual(unmodifiable(`${sentence}, so it cannot be changed; make a new booking instead.`, why));
      }
    }
    const after = await service.booking(id);
    expect(after.data).toEqual(before);
    expect(after.headers.get('etag')).toBe(headers.get('etag'));
  }

  test('once its visit is verified', async () => {
    const { data: booking } = await service.book({ booking_date: TODAY });
    expect((await service.verify({ code: booking.voucher.code })).status).toBe(200);
    await refusesEverything(booking.booking_id, 'The guests have already visited the venue', 'completed');
  });

  test('once it was cancelled', async () => {
    const { data: booking } = await service.book({ booking_date: LATER });
    expect(await command(service, booking.booking_id, cancelled(service))).toBeNull();
    await refusesEverything(booking.booking_id, 'The booking is cancelled', 'cancelled');
  });

  test('from the end of its date on, to the millisecond', async () => {
    const { data: booking } = await service.book({ booking_date: LATER });
    service.clock.set(Date.parse('2026-11-25T11:00:00Z') - 1);
    expect((await modify(service, booking, { num_adults: 1 })).status).toBe(200);
    service.clock.advance(1);
    await refusesEverything(booking.booking_id, "The booking's date is over", 'past');
  });
});

test('after an erasure the guest’s data cannot be changed, the rest can', async () => {
  const { data: booking } = await service.book({ booking_date: LATER });
  const at = new Date(service.clock.nowMs()).toISOString();
  await command(service, booking.booking_id, { type: 'EraseGuest', by: 'operator', at });
  const sentence =
    "The guest's data was erased, so it cannot be changed; leave user_name, user_email and special_requests out.";
  for (const change of [{ user_name: 'Augusta' }, { num_adults: 1, user_email: 'a@example.org' }]) {
    expect((await modify(service, booking, change)).refusal).toEqual(unmodifiable(sentence, 'erased'));
  }
  expect((await modify(service, booking, { num_adults: 1 })).data.changes).toEqual({ num_adults: { from: 2, to: 1 } });
});

describe('more guests', () => {
  test('are refused if too few slots are free, with the number left and alternatives', async () => {
    const { data: booking } = await service.book({ booking_date: LATER });
    await service.book({ booking_date: LATER, num_adults: 6 });
    const { refusal } = await modify(service, booking, { num_adults: 5 });
    const message =
      'River Walk (en) has only 2 slots left on 2026-11-25 for 3 more; choose another date (2026-11-26, 2026-11-27, 2026-11-28, 2026-11-29, 2026-11-30), or fewer guests.';
    expect<object>({ ...refusal, alternatives: refusal.alternatives?.slice(0, 2) }).toEqual(
      refused(409, 'INVENTORY_EXHAUSTED', message, {
        details: 'available_slots: 2',
        resolution: 'choose_other',
        alternatives: ['2026-11-26', '2026-11-27'].map((date) => ({
          activity_id: 'river-walk',
          date,
          booking_date: date,
          available_slots: 10,
        })),
      }),
    );
    expect((await modify(service, booking, { num_adults: 4 })).status).toBe(200);
    expect(await freeOn(service, 'river-walk', LATER)).toBe(0);
  });

  test('are refused from the last entry on; fewer are not', async () => {
    const { data: booking } = await service.book({ booking_date: TODAY });
    service.clock.set(Date.parse('2026-11-21T10:00:00Z') - 1);
    expect((await modify(service, booking, { num_adults: 3 })).status).toBe(200);
    service.clock.advance(1);
    const { refusal } = await modify(service, booking, { num_adults: 4 });
    expect([refusal.code, refusal.error]).toEqual([
      'ACTIVITY_UNAVAILABLE',
      'River Walk (en) takes no more guests today; choose another date (2026-11-22, 2026-11-23, 2026-11-24, 2026-11-25, 2026-11-26).',
    ]);
    expect((await modify(service, booking, { num_adults: 1 })).status).toBe(200);
    expect((await modify(service, booking, { booking_date: TOMORROW })).status).toBe(200);
  });

  test('are refused after midnight for an activity that opened yesterday', async () => {
    const { data: booking } = await service.book({ activity_id: 'night-market', booking_date: TODAY });
    service.clock.set(Date.parse('2026-11-21T17:15:00Z'));
    const { refusal } = await modify(service, booking, { num_adults: 3 });
    expect([refusal.code, refusal.error]).toEqual([
      'ACTIVITY_UNAVAILABLE',
      'Night Market (en) takes no more guests on 2026-11-21; make a new booking for the others.',
    ]);
    expect((await modify(service, booking, { num_adults: 1 })).status).toBe(200);
    expect((await modify(service, booking, { booking_date: TOMORROW, num_adults: 5 })).status).toBe(200);
  });

  test('than the maximum of a booking are refused, adults or children', async () => {
    const night = { activity_id: 'night-market', booking_date: LATER, num_adults: 15, num_children: 14 };
    const { data: booking } = await service.book(night);
    const sentence = 'num_adults and num_children add up to 31 guests; one booking takes at most 30.';
    for (const change of [{ num_adults: 17 }, { num_children: 16 }]) {
      for (const ask of [modify, quote]) {
        const { refusal } = await ask(service, booking, change);
        expect(refusal).toEqual(
          refused(400, 'BOOKING_LIMIT_EXCEEDED', `${sentence} Make another booking for the others.`),
        );
      }
    }
    expect((await modify(service, booking, { num_adults: 16 })).status).toBe(200);
  });
});

describe('another date', () => {
  test.each([
    ['2026-11-20', 'INVALID_DATE', 'booking_date 2026-11-20 is in the past; '],
    ['2027-11-22', 'INVALID_DATE', 'booking_date 2027-11-22 is too far ahead; '],
    ['2026-11-23', 'ACTIVITY_UNAVAILABLE', 'Paper Museum (en) is closed on 2026-11-23; '],
    ['2026-12-05', 'ACTIVITY_UNAVAILABLE', 'Paper Museum (en) is closed on 2026-12-05; '],
  ])('of %s is refused as a new booking would be: %s', async (date, code, beginning) => {
    const { data: booking } = await service.book({ activity_id: 'paper-museum', booking_date: LATER });
    const { refusal } = await modify(service, booking, { booking_date: date });
    expect(refusal.code as string).toBe(code);
    expect(refusal.error).toStartWith(beginning);
    expect(refusal.alternatives).not.toBeEmpty();
  });

  test('without enough free slots is refused, and the booking keeps its date', async () => {
    const { data: booking } = await service.book({ booking_date: LATER, num_adults: 4 });
    const other = await service.book({ booking_date: TOMORROW, num_adults: 7 });
    const { refusal } = await modify(service, booking, { booking_date: TOMORROW });
    expect([refusal.code, refusal.error]).toEqual([
      'INVENTORY_EXHAUSTED',
      'River Walk (en) has only 3 slots left on 2026-11-22 for 4 guests; choose another date (2026-11-23, 2026-11-24, 2026-11-25, 2026-11-26, 2026-11-27), or fewer guests.',
    ]);
    expect(await freeOn(service, 'river-walk', TOMORROW, other)).toBe(3);
    expect((await modify(service, booking, { booking_date: TOMORROW, num_adults: 3 })).status).toBe(200);
  });
});

test('for a retired activity only guest data and fewer guests are possible', async () => {
  const { data: booking } = await service.book({ booking_date: LATER, num_adults: 3 });
  writeServiceCatalogue(service.catalogueDirectory, ['river-walk']);
  await service.restart();
  const sentence =
    'River Walk (en) is no longer offered, so the date cannot change and guests cannot be added; make a new booking of another activity.';
  for (const change of [{ booking_date: TOMORROW }, { num_adults: 4 }]) {
    const { refusal } = await modify(service, booking, change);
    expect(refusal).toEqual(
      refused(409, 'ACTIVITY_UNAVAILABLE', sentence, { resolution: 'choose_other', alternatives: [] }),
    );
  }
  const { data } = await modify(service, booking, { num_adults: 2, user_name: 'Augusta King' });
  expect(data).toMatchObject({ num_adults: 2, user_name: 'Augusta King', new_pricing: { total: 241 } });
});

describe('where the venue confirms on request', () => {
  test('a confirmed booking takes neither another date nor more guests', async () => {
    const { data: booking } = await service.book({ booking_date: LATER });
    changeCatalogue(service, 'bangkok', 'river-walk', { confirmation: 'on_request' });
    await service.restart();
    const sentence =
      'River Walk (en) is confirmed by the venue on request, and the venue would have to confirm another date or more guests; cancel this booking and make a new one.';
    for (const change of [{ booking_date: TOMORROW }, { num_adults: 3 }]) {
      expect((await modify(service, booking, change)).refusal).toEqual(unmodifiable(sentence, 'confirmed'));
    }
    const { data } = await modify(service, booking, { num_adults: 1, user_name: 'Augusta King' });
    expect(data).toMatchObject({ num_adults: 1, user_name: 'Augusta King', status: 'confirmed' });
  });

  test('a pending booking changes without a charge, a refund or a voucher', async () => {
    const booking = await pendingBooking();
    expect((await quote(service, booking, { num_adults: 1 })).data).toMatchObject({ charge: 0, refund: 0 });
    const { data } = await modify(service, booking, { num_adults: 1, special_requests: 'Shade' });
    expect(data).toMatchObject({ status: 'pending', voucher: null, num_adults: 1, new_pricing: { total: 120.5 } });
    const types = (await eventsOf(service, booking)).map(({ type }) => type);
    expect(types).toEqual(['BookingPlacedOnRequest.v1', 'BookingModified.v4']);
    const at = new Date(service.clock.nowMs()).toISOString();
    const rejected = { reason: 'venue_unavailable', code: 'ACTIVITY_UNAVAILABLE', by: 'venue', at } as const;
    await command(service, booking.booking_id, { type: 'Reject', ...rejected });
    expect((await modify(service, booking, { num_adults: 2 })).refusal).toEqual(
      unmodifiable('The booking is rejected, so it cannot be changed; make a new booking instead.', 'rejected'),
    );
  });

  test('a booking in `processing` answers retry_later', async () => {
    const id = 'bk_0123456789abcdefghjk';
    await command(service, id, {
      type: 'Start',
      facts: await likeABooking(),
      finishByMs: service.clock.nowMs() + 1,
      answerByMs: null,
    });
    expect((await modify(service, { booking_id: id }, { num_adults: 1 })).refusal).toEqual(
      refused(
        409,
        'BOOKING_NOT_MODIFIABLE',
        'The booking is still being processed, so it cannot be changed; try again in a moment.',
        { details: 'status: processing', resolution: 'retry_later', retryable: true },
      ),
    );
  });

  /** Facts of a booking whose slots are claimed and whose guest is recorded. */
  async function likeABooking(): Promise<BookingFacts> {
    const { data } = await service.book({ booking_date: LATER });
    const { streams, clock } = service.node.context;
    const reply = await streams.bookings.read(bookingId(data.booking_id), clock.nowMs() + 10_000);
    if (reply.kind !== 'state' || reply.state.status === 'none') throw new Error('there is no booking');
    return reply.state.facts;
  }

  async function pendingBooking() {
    const id = 'bk_0123456789abcdefghjk';
    const facts = await likeABooking();
    await command(service, id, { type: 'PlaceOnRequest', facts, answerByMs: service.clock.nowMs() + 3_600_000 });
    return { booking_id: id };
  }
});
