import { describe, expect, test } from 'bun:test';
import { openService, type Service, TODAY, TOMORROW, withDevice } from '../../support/service.ts';
import { type AnswerOf, refused } from '../../support/service-answers.ts';
import { testGate, testKey } from '../../support/test-mode.ts';

const MINUTE = 60_000;

type Days = AnswerOf<'get /api/devices'>;

const daysOf = async (service: Service, query: string): Promise<Days['items']> => {
  await service.documents('devicedays');
  await service.documents('devices');
  return (await service.get<Days>(`/api/devices?${query}`, service.admin)).data.items;
};

/** Bookings, made before a device scans them. */
async function codes(service: Service, count: number, change: object = {}): Promise<readonly string[]> {
  const booked = Array.from({ length: count }, () => service.book({ num_adults: 1, ...change }));
  return (await Promise.all(booked)).map(({ data }) => data.voucher.code);
}

describe('the days of the gate devices', () => {
  test('show a device that scans long before the opening, and not one that scans in opening hours', async () => {
    await using service = await openService({ startMs: Date.parse('2026-11-20T03:00:00Z') });
    const [honest, early] = [await service.createDevice('old-pier', 'Honest'), await service.createDevice('old-pier')];
    const [byNight, byDay] = [
      await codes(service, 3, { booking_date: TODAY }),
      await codes(service, 3, { booking_date: TODAY }),
    ];
    const scanAll = async (all: readonly string[], key: string) => {
      for (const code of all) {
        expect((await service.verify({ code }, withDevice(key))).status).toBe(200);
        service.clock.advance(MINUTE);
      }
    };
    // One in the morning in Bangkok; the pier opens at nine.
    service.clock.set(Date.parse('2026-11-20T18:00:00Z'));
    await scanAll(byNight, early.device_key);
    service.clock.set(Date.parse('2026-11-21T03:00:00Z'));
    await scanAll(byDay, honest.device_key);
    const shown = {
      device_id: early.device_id,
      venue_id: 'old-pier',
      name: 'A gate',
      paused: false,
      day: TODAY,
      city: 'Bangkok' as const,
      visits: 3,
      disputed: 0,
      voided: 0,
      early: 3,
      most_per_minute: 1,
      unusual: ['early' as const],
    };
    expect(await daysOf(service, 'unusual=true')).toEqual([shown]);
    const usual = { ...shown, device_id: honest.device_id, name: 'Honest', early: 0, unusual: [] };
    expect(await daysOf(service, `device_id=${honest.device_id}`)).toEqual([usual]);
    expect(await daysOf(service, 'venue_id=old-pier&unusual=false')).toEqual([usual]);
    expect(await daysOf(service, `from=${TODAY}&to=${TODAY}`)).toHaveLength(2);
    expect(await daysOf(service, `from=${TOMORROW}`)).toEqual([]);
    expect(await daysOf(service, 'venue_id=rail-yard')).toEqual([]);
    expect(await service.rebuild('devicedays')).toMatchObject({ kind: 'rebuilt', differences: 0 });
    expect(await daysOf(service, 'unusual=true')).toEqual([shown]);
  });

  test('show a device with many refunded bookings, many scans at once and voided visits, also once it is removed', async () => {
    await using service = await openService();
    const { device_id, device_key } = await service.createDevice('harbour-front');
    const gate = withDevice(device_key);
    const wish = { activity_id: 'sea-tunnel', booking_date: TODAY, num_adults: 1 };
    const booked = await Promise.all(Array.from({ length: 31 }, () => service.book(wish)));
    service.clock.advance(MINUTE);
    const scanned = new Date(service.clock.nowMs()).toISOString();
    service.clock.advance(MINUTE);
    for (const { data } of booked.slice(0, 4))
      await service.post(`/api/bookings/${data.booking_id}/cancel`, { reason: 'weather' }, service.admin);
    for (const [uploaded_sequence, { data }] of booked.entries()) {
      const scan = { code: data.voucher.code, verified_at: scanned, uploaded_sequence };
      expect((await service.verify(scan, gate)).status).toBe(200);
    }
    await service.delete(`/api/venues/harbour-front/devices/${device_id}`, service.admin);
    const shown = {
      device_id,
      venue_id: 'harbour-front',
      name: null,
      paused: null,
      day: TODAY,
      city: 'Singapore' as const,
      visits: 31,
      disputed: 4,
      voided: 0,
      early: 0,
      most_per_minute: 31,
      unusual: ['disputed' as const, 'per_minute' as const],
    };
    expect(await daysOf(service, 'unusual=true')).toEqual([shown]);
    expect((await service.post('/api/visits/void', { device_id, reason: 'abuse' }, service.admin)).data).toEqual({
      voided: 31,
      complete: true,
    });
    expect(await daysOf(service, 'unusual=true')).toMatchObject([{ device_id, visits: 31, voided: 31 }]);
  });

  test('count no test booking', async () => {
    await using service = await openService();
    const { voucher } = (await service.book({ booking_date: TODAY }, await testKey(service))).data;
    expect((await service.verify({ code: voucher.code }, await testGate(service))).status).toBe(200);
    expect(await daysOf(service, '')).toEqual([]);
  });

  test('are listed page by page, and only for the operator', async () => {
    await using service = await openService();
    for (const gate of [service.gates.pier, service.gates.yard]) {
      const activity_id = gate === service.gates.pier ? 'river-walk' : 'night-market';
      const [code = ''] = await codes(service, 1, { activity_id, booking_date: TODAY });
      expect((await service.verify({ code }, gate)).status).toBe(200);
    }
    await service.documents('devicedays');
    const page = async (query: string) => (await service.get<Days>(`/api/devices?limit=1${query}`, service.admin)).data;
    const first = await page('');
    const second = await page(`&cursor=${first.next_cursor}`);
    expect([first.items.length, second.items.length, second.next_cursor]).toEqual([1, 1, null]);
    expect(second.items[0]?.device_id).not.toBe(first.items[0]?.device_id);
    expect((await service.get('/api/devices', service.analyst)).refusal).toEqual(
      refused(
        403,
        'FORBIDDEN',
        'The role "analyst" may not call list_device_days; the token must have the role "admin" or "support" or "viewer".',
      ),
    );
  });
});
