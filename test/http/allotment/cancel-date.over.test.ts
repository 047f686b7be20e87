import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { DAY_MS } from '../../../src/eventsourcing/durations.ts';
import { cancelDate, finishedCancellation } from '../../support/cancelled-dates.ts';
import { openService, type Service, TODAY, TOMORROW } from '../../support/service.ts';
import { type AnswerOf, refused } from '../../support/service-answers.ts';

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.stop());

describe('a date that cannot be cancelled', () => {
  test('in the past, unknown or closed by the schedule is refused with the reason', async () => {
    const past = await cancelDate(service, {}, { date: '2026-11-20' });
    expect([past.refusal.code, past.refusal.error]).toEqual([
      'INVALID_DATE',
      expect.stringContaining('date 2026-11-20 is in the past'),
    ]);
    expect((await cancelDate(service, {}, { activity: 'nowhere' })).refusal.code).toBe('ACTIVITY_NOT_FOUND');
    expect((await cancelDate(service, {}, { date: '2026-02-30' })).refusal.code).toBe('INVALID_DATE');
    expect((await cancelDate(service, { reason: 'user_requested' })).refusal.code).toBe('INVALID_REQUEST');
    expect((await cancelDate(service, { because: 'rain' })).refusal.code).toBe('INVALID_REQUEST');
  });

  test('whose hours are over is refused, whatever day it is; before that it is cancelled, also after midnight', async () => {
    // 09:00-18:00
    await service.book({ booking_date: TODAY });
    // 18:00-02:00
    const night = { activity: 'night-market', date: TODAY };
    const booked = await service.book({ activity_id: 'night-market', booking_date: TODAY });
    service.clock.set(Date.parse(`${TODAY}T18:00:00+07:00`));
    const over = `date ${TODAY} is over; bookings can be cancelled until the activity closes.`;
    expect((await cancelDate(service, {}, { date: TODAY })).refusal).toEqual(refused(400, 'INVALID_DATE', over));
    service.clock.set(Date.parse(`${TOMORROW}T01:59:59+07:00`));
    expect((await cancelDate(service, {}, night)).status).toBe(200);
    const done = await finishedCancellation(service, night);
    expect(done.cancelled).toBe(1);
    expect((await service.booking(booked.data.booking_id)).data.status).toBe('cancelled');
  });

  test('leaves a booking whose own hours are over: the cancellation finishes without it', async () => {
    const booked = await service.book({ booking_date: TODAY });
    const entry = await service.get<AnswerOf<'get /api/activities/:activity_id'>>(
      '/api/activities/river-walk',
      service.admin,
    );
    // Without hours in the catalogue the date ends at midnight.
    const closed = { ...entry.data, closed_dates: [TODAY] };
    expect((await service.put('/api/activities/river-walk', closed, service.admin)).status).toBe(200);
    service.clock.set(Date.parse(`${TODAY}T18:00:00+07:00`));
    expect((await cancelDate(service, {}, { date: TODAY })).status).toBe(200);
    const done = await finishedCancellation(service, { date: TODAY });
    expect([done.bookings, done.gone, done.cancelled]).toEqual([1, 1, 0]);
    expect((await service.booking(booked.data.booking_id)).data.status).toBe('confirmed');
  });

  test('a date that ends while its bookings are cancelled is cancelled to its end', async () => {
    const booked = await service.book({ booking_date: TODAY });
    await cancelDate(service, {}, { date: TODAY });
    service.clock.advance(2 * DAY_MS);
    const done = await finishedCancellation(service, { date: TODAY });
    expect(done.cancelled).toBe(1);
    expect((await service.booking(booked.data.booking_id)).data.status).toBe('cancelled');
  });
});
