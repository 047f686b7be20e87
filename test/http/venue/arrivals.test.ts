import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { encodeBase32 } from '../../../src/domain/base32.ts';
import { headOf } from '../../support/log-of-service.ts';
import { NOW, openService, type Service, TODAY, TOMORROW, withDevice } from '../../support/service.ts';
import type { AnswerOf, Booking } from '../../support/service-answers.ts';
import { testGate, testKey } from '../../support/test-mode.ts';

type Arrivals = AnswerOf<'get /api/venue/arrivals'>;

async function arrivals(service: Service, query = `?date=${TOMORROW}`, gate = service.gates.pier): Promise<Arrivals> {
  const headers = { ...gate, 'x-position': await headOf(service) };
  return (await service.get<Arrivals>(`/api/venue/arrivals${query}`, headers)).data;
}

async function idsOf(service: Service, query?: string, gate?: typeof service.key): Promise<readonly string[]> {
  return (await arrivals(service, query, gate)).items.map(({ booking_id }) => booking_id);
}

function hashOf({ voucher }: Booking): string {
  return encodeBase32(createHash('sha256').update(voucher.code).digest(), 16);
}

describe('the arrivals of a day', () => {
  test('say of each booking what an offline gate needs, and contain no code and no address', async () => {
    await using service = await openService();
    const { data } = await service.book({ special_requests: 'A wheelchair.', num_children: 1 });
    const answer = await arrivals(service);
    expect(answer).toEqual({
      venue_id: 'old-pier',
      venue_name: 'Old Pier',
      time_zone: 'Asia/Bangkok',
      device_name: 'A gate',
      mode: 'live',
      admit_at_once: false,
      date: TOMORROW,
      issued_at: new Date(NOW).toISOString(),
      items: [
        {
          booking_id: data.booking_id,
          status: 'confirmed',
          revision: 1,
          code_hash: hashOf(data),
          activity_id: 'river-walk',
          activity_title: data.activity.title,
          opens_at: expect.stringMatching(/^2026-11-2\dT\d\d:00:00.000Z$/),
          closes_at: data.voucher.valid_until,
          valid_until: data.voucher.valid_until,
          user_name: 'Ada Lovelace',
          special_requests: 'A wheelchair.',
          num_adults: 2,
          num_children: 1,
          num_guests: 3,
          guests_present: 0,
          verified_at: null,
        },
      ],
      next_cursor: null,
    });
    expect(JSON.stringify(answer)).not.toMatch(new RegExp(`${data.voucher.code}|ada@example`));
  });

  test('follow a visit, its void, a cancellation, changes and an erasure', async () => {
    await using service = await openService();
    const { data } = await service.book({ special_requests: 'Quiet.' });
    const of = async () => (await arrivals(service)).items[0];
    const change = (body: object) => service.post(`/api/b2a/bookings/${data.booking_id}/modify`, body, service.key);
    await change({ user_name: 'Ada King', num_adults: 4 });
    expect(await of()).toMatchObject({ user_name: 'Ada King', num_guests: 4, revision: 2, guests_present: 0 });
    service.clock.set(Date.parse('2026-11-22T03:00:00Z'));
    expect((await service.verify({ code: data.voucher.code })).status).toBe(200);
    const visited = { status: 'completed', guests_present: 4, verified_at: '2026-11-22T03:00:00.000Z', revision: 3 };
    expect(await of()).toMatchObject(visited);
    await service.post('/api/visits/void', { booking_id: data.booking_id, reason: 'A mistake.' }, service.admin);
    expect(await of()).toMatchObject({ status: 'confirmed', guests_present: 0, verified_at: null, revision: 4 });
    await service.post(`/api/bookings/${data.booking_id}/cancel`, { reason: 'weather' }, service.admin);
    expect(await of()).toMatchObject({ status: 'cancelled', revision: 5 });
    await service.post(`/api/bookings/${data.booking_id}/erase`, {}, service.admin);
    expect(await of()).toMatchObject({ user_name: '[erased]', special_requests: null, revision: 6 });
  });

  test('are those of the booking’s present date', async () => {
    await using service = await openService();
    const { data } = await service.book({ booking_date: TODAY });
    expect(await idsOf(service, '')).toEqual([data.booking_id]);
    await service.post(`/api/b2a/bookings/${data.booking_id}/modify`, { booking_date: TOMORROW }, service.key);
    expect([await idsOf(service, ''), await idsOf(service)]).toEqual([[], [data.booking_id]]);
  });

  test('leave out bookings that have no voucher, other venues and the other mode', async () => {
    await using service = await openService();
    const [key, testing] = [await testKey(service), await testGate(service)];
    const live = (await service.book()).data.booking_id;
    const ofTests = (await service.book({}, key)).data.booking_id;
    const market = (await service.book({ activity_id: 'night-market' })).data.booking_id;
    const pending = (await service.book({ activity_id: 'village-kitchen' })).data;
    expect(pending.status).toBe('pending');
    const kitchen = withDevice((await service.createDevice('rice-terrace')).device_key);
    const all = [service.gates.pier, service.gates.yard, testing, kitchen].map((gate) =>
      idsOf(service, undefined, gate),
    );
    expect(await Promise.all(all)).toEqual([[live], [market], [ofTests], []]);
    await service.post(`/api/bookings/${pending.booking_id}/confirm`, {}, service.admin);
    expect(await idsOf(service, undefined, kitchen)).toEqual([pending.booking_id]);
  });

  test('come in pages, in the order of booking', async () => {
    await using service = await openService();
    const made: string[] = [];
    for (let n = 0; n < 5; n++) {
      service.clock.advance(1_000);
      made.push((await service.book({ num_adults: 1 })).data.booking_id);
    }
    const first = await arrivals(service, `?date=${TOMORROW}&limit=3`);
    const rest = await arrivals(service, `?date=${TOMORROW}&limit=3&cursor=${first.next_cursor}`);
    expect([first, rest].map(({ items }) => items.map(({ booking_id }) => booking_id))).toEqual([
      made.slice(0, 3),
      made.slice(3),
    ]);
    expect(rest.next_cursor).toBeNull();
  });

  test('say whether the venue wants a valid scan to count at once, as its catalogue entry does', async () => {
    await using service = await openService();
    const path = '/api/activities/river-walk';
    const chosen = async () => (await arrivals(service)).admit_at_once;
    const { data } = await service.get<{ readonly venue: object }>(path, service.admin);
    const { venue } = data;
    expect(await chosen()).toBe(false);
    const changed = { ...data, venue: { ...venue, admit_at_once: true } };
    const answer = await service.put<typeof data>(path, changed, service.admin);
    expect(answer.data.venue).toEqual({ ...venue, admit_at_once: true });
    expect(await chosen()).toBe(true);
  });

  test('are of today at the venue without a date, and of at most a day before or after', async () => {
    await using service = await openService({ startMs: Date.parse('2026-11-21T17:00:00Z') });
    expect((await arrivals(service, '')).date).toBe(TOMORROW);
    const status = (query: string) =>
      service.get(`/api/venue/arrivals?${query}`, service.gates.pier).then((answer) => answer.status);
    const days = ['2026-11-20', '2026-11-21', '2026-11-22', '2026-11-23', '2026-11-24'];
    expect(await Promise.all(days.map((day) => status(`date=${day}`)))).toEqual([400, 200, 200, 200, 400]);
    const { refusal } = await service.get('/api/venue/arrivals?date=2026-11-24', service.gates.pier);
    expect([refusal.code, refusal.error]).toEqual([
      'INVALID_DATE',
      'date 2026-11-24 is more than one day from today at the venue, 2026-11-22; send a date from 2026-11-21 to 2026-11-23, or leave it out for today.',
    ]);
    expect(await Promise.all(['limit=0', 'limit=501', 'day=today', 'cursor=x'].map(status))).toEqual([
      400, 400, 400, 400,
    ]);
  });

  test('are refused without a device key, and to a paused or removed device', async () => {
    await using service = await openService();
    const made = await service.createDevice('old-pier');
    const code = async (headers: typeof service.key) =>
      (await service.get('/api/venue/arrivals', headers)).refusal.code;
    expect([await code({}), await code(service.key), await code(service.admin)]).toEqual(
      Array(3).fill('MISSING_DEVICE_KEY'),
    );
    const path = `/api/venues/old-pier/devices/${made.device_id}`;
    await service.post(`${path}/pause`, {}, service.admin);
    const paused = await code(withDevice(made.device_key));
    await service.post(`${path}/resume`, {}, service.admin);
    expect((await service.get('/api/venue/arrivals', withDevice(made.device_key))).status).toBe(200);
    await service.delete(path, service.admin);
    expect([paused, await code(withDevice(made.device_key))]).toEqual(['KEY_INACTIVE', 'INVALID_DEVICE_KEY']);
  });

  test('are the same after a rebuild', async () => {
    await using service = await openService();
    await service.book();
    const before = await arrivals(service);
    for (const name of ['bookings', 'guests'])
      expect(await service.rebuild(name)).toMatchObject({ kind: 'rebuilt', differences: 0 });
    expect(await arrivals(service)).toEqual(before);
  });
});
