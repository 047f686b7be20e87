import { describe, expect, test } from 'bun:test';
import { DAY_MS, HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import { openService, type Service, TODAY } from '../../support/service.ts';

/** The `by` of each GuestErased, by booking. */
async function erasures(at: Service): Promise<Record<string, unknown>> {
  const events = (await at.events()).filter(({ type }) => type.startsWith('GuestErased'));
  return Object.fromEntries(events.map(({ stream, data }) => [stream, (data as { by: string }).by]));
}

/** Lets hours pass until so many guests are erased. */
async function erased(at: Service, count: number): Promise<Record<string, unknown>> {
  for (;;) {
    const all = await erasures(at);
    if (Object.keys(all).length >= count) return all;
    at.clock.advance(1_000);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  }
}

/** Waits until the retention of this node has looked at the bookings after the present time. */
async function lookedAt(at: Service): Promise<void> {
  await at.documents('retention');
  at.clock.advance(HOUR_MS);
  for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
}

describe('the retention of guests’ data', () => {
  test('erases after the visit, the cancellation, or the end of a date without a visit, and not before', async () => {
    await using own = await openService({ settings: { GUEST_RETENTION_DAYS: '30' } });
    const { data: visited } = await own.book({ booking_date: TODAY });
    await own.verify({ code: visited.voucher.code });
    const { data: cancelled } = await own.book({ booking_date: '2026-12-31' });
    await own.post(`/api/b2a/bookings/${cancelled.booking_id}/cancel`, {}, own.key);
    const { data: missed } = await own.book();
    const { data: later } = await own.book({ booking_date: '2026-12-31' });
    own.clock.advance(30 * DAY_MS - HOUR_MS - 1);
    await lookedAt(own);
    expect(await erasures(own)).toEqual({});
    own.clock.advance(HOUR_MS);
    expect(await erased(own, 2)).toEqual({
      [`booking-${visited.booking_id}`]: 'system',
      [`booking-${cancelled.booking_id}`]: 'system',
    });
    own.clock.advance(2 * DAY_MS);
    expect(Object.keys(await erased(own, 3))).toContain(`booking-${missed.booking_id}`);
    expect((await own.booking(later.booking_id)).data.user_name).toBe('Ada Lovelace');
    expect((await own.booking(missed.booking_id)).data.user_name).toBe('[erased]');
    expect(own.logged.filter(({ happening }) => happening === 'guests erased by retention').length).toBeGreaterThan(0);
  });

  test('follows a change of the setting at the next start, off included', async () => {
    const settings: Record<string, string> = { GUEST_RETENTION_DAYS: 'off' };
    await using own = await openService({ settings });
    const { data } = await own.book({ booking_date: TODAY });
    own.clock.advance(3_000 * DAY_MS);
    await lookedAt(own);
    expect(await erasures(own)).toEqual({});
    settings['GUEST_RETENTION_DAYS'] = '3650';
    await own.restart();
    await lookedAt(own);
    expect(await erasures(own)).toEqual({});
    settings['GUEST_RETENTION_DAYS'] = '365';
    await own.restart();
    expect(await erased(own, 1)).toEqual({ [`booking-${data.booking_id}`]: 'system' });
  });
});
