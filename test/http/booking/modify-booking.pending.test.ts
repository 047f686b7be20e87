import { expect, test } from 'bun:test';
import { recordedInTime } from '../../support/log-of-service.ts';
import { eventsOf, freeOn, modify, quote } from '../../support/modifications.ts';
import { openService, TODAY, TOMORROW } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';

test('a pending booking can change; the confirmation charges its present price', async () => {
  await using service = await openService();
  const { data: booking } = await service.book({ activity_id: 'village-kitchen', booking_date: '2026-11-25' });
  expect(booking.status).toBe('pending');
  const wish = { booking_date: TOMORROW, num_adults: 5, user_name: 'Augusta King' };
  expect((await quote(service, booking, wish)).data).toMatchObject({ charge: 0, refund: 0, available: true });
  const answer = await modify(service, booking, wish);
  expect(answer.data).toMatchObject({ status: 'pending', voucher: null, new_pricing: { total: 2_250_000 } });
  expect(await freeOn(service, 'village-kitchen', TOMORROW, answer)).toBe(7);
  const confirmed = await service.post<AnswerOf<'post /api/bookings/:booking_id/confirm'>>(
    `/api/bookings/${booking.booking_id}/confirm`,
    {},
    service.admin,
  );
  expect(confirmed.data).toMatchObject({ status: 'confirmed', voucher: { valid_until: '2026-11-22T10:00:00.000Z' } });
  const money = (await eventsOf(service, booking)).filter(({ type }) => type.startsWith('Charge'));
  expect(money.map(({ data }) => (data as { amountMinor: number }).amountMinor)).toEqual([225_000_000]);
  expect((await modify(service, booking, { num_adults: 6 })).refusal.code).toBe('BOOKING_NOT_MODIFIABLE');
});

test('a move to an earlier date shortens the venue’s deadline to its last entry', async () => {
  await using service = await openService();
  const { data: booking } = await service.book({ activity_id: 'village-kitchen', booking_date: '2026-11-25' });
  await modify(service, booking, { booking_date: TODAY });
  const [placed, moved] = await eventsOf(service, booking);
  const lastEntryMs = Date.parse('2026-11-21T09:00:00.000Z');
  expect(moved?.data).toMatchObject({ answerByMs: lastEntryMs });
  expect(placed?.data).not.toMatchObject({ answerByMs: lastEntryMs });
  const { data } = await service.get<AnswerOf<'get /api/b2a/bookings/:booking_id'>>(
    `/api/b2a/bookings/${booking.booking_id}?include=history`,
    service.key,
  );
  expect(data.history?.map(({ text }) => text)).toEqual([
    'The venue was asked; it may answer until 2026-11-22T03:00:00.000Z.',
    'The booking was changed: date from 2026-11-25 to 2026-11-21. The venue may answer until 2026-11-21T09:00:00.000Z.',
  ]);
  service.clock.set(lastEntryMs);
  const { stream } = await recordedInTime(service, 'BookingRejected');
  expect(stream).toBe(`booking-${booking.booking_id}`);
});
