import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { headOf } from '../../support/log-of-service.ts';
import { type Credentials, openService, type Service, TODAY, TOMORROW, withKey } from '../../support/service.ts';
import { type Answer, type AnswerOf, faulty, refused } from '../../support/service-answers.ts';

type Listed = AnswerOf<'get /api/bookings'>;
type Seen = AnswerOf<'get /api/bookings/:booking_id'>;

let service: Service;
let other: { readonly id: string; readonly headers: Credentials };
/** From the oldest to the newest. */
let ids: readonly string[] = [];
beforeAll(async () => {
  service = await openService();
  const { id, key } = await service.createKey();
  other = { id, headers: withKey(key) };
  const made: string[] = [];
  for (const [wish, headers] of [
    [{ special_requests: 'A quiet table.' }, {}],
    [{ booking_date: TODAY }, {}],
    [{ activity_id: 'village-kitchen' }, other.headers],
    [{ activity_id: 'night-market', booking_date: '2026-12-01' }, other.headers],
  ] as const) {
    service.clock.advance(1_000);
    made.push((await service.book(wish, headers)).data.booking_id);
  }
  ids = made;
  await cancel(made[3] ?? '', { reason: 'weather' });
});
afterAll(() => service.stop());

function cancel<T = object>(id: string, body: object, headers: object = {}, at: Service = service): Promise<Answer<T>> {
  return at.post(`/api/bookings/${id}/cancel`, body, { ...at.admin, ...headers });
}

async function list(query = ''): Promise<Listed> {
  const position = { 'x-position': await headOf(service) };
  return (await service.get<Listed>(`/api/bookings${query}`, { ...service.admin, ...position })).data;
}

/** Indexes of the bookings in a list. */
async function shown(query: string): Promise<readonly number[]> {
  return (await list(query)).items.map(({ booking_id: id }) => ids.indexOf(id) + 1);
}

function see(id: string): Promise<Answer<Seen>> {
  return service.get(`/api/bookings/${id}`, service.admin);
}

test('a booking in another language has English texts for operators', async () => {
  await using own = await openService();
  const { data } = await own.book({}, { 'accept-language': 'ja' });
  const english = (await own.book()).data.activity;
  expect(data.activity.title).not.toBe(english.title);
  const { data: seen } = await own.get<Seen>(`/api/bookings/${data.booking_id}`, own.admin);
  const position = { 'x-position': await headOf(own) };
  const { data: listed } = await own.get<Listed>('/api/bookings', { ...own.admin, ...position });
  expect([seen, ...listed.items].map(({ activity }) => activity)).toEqual([english, english, english]);
});

describe('the list of all bookings', () => {
  test.each([
    ['', [4, 3, 2, 1]],
    ['?status=pending', [3]],
    ['?status=confirmed', [2, 1]],
    ['?status=cancelled', [4]],
    ['?status=processing', []],
    ['?city=krung+thep', [4, 2, 1]],
    ['?city=Bali', [3]],
    ['?activity_id=river-walk', [2, 1]],
    ['?activity_id=atlantis', []],
    [`?from=${TOMORROW}`, [4, 3, 1]],
    [`?to=${TOMORROW}`, [3, 2, 1]],
    [`?from=${TOMORROW}&to=${TOMORROW}&city=Bangkok`, [1]],
    ['?key_id=nobody', []],
    ['?venue_id=old-pier', [2, 1]],
    ['?venue_id=old-pier&status=confirmed&limit=1', [2]],
    [`?venue_id=old-pier&from=${TODAY}&to=${TODAY}`, [2]],
    ['?venue_id=nowhere', []],
  ])('%s has the right bookings, newest first', async (query, expected) => {
    expect(await shown(query)).toEqual(expected);
  });

  test('can be filtered by key', async () => {
    expect(await shown(`?key_id=${other.id}`)).toEqual([4, 3]);
    expect(await shown(`?key_id=${other.id}&status=cancelled`)).toEqual([4]);
  });

  test('finds a booking by its id, its voucher’s code and their beginnings, in any case', async () => {
    const [id = ''] = ids;
    const { code } = (await service.booking(id)).data.voucher;
    for (const text of [id, id.toUpperCase(), id.slice(0, -6)]) expect(await shown(`?booking_id=${text}`)).toContain(1);
    expect(await shown(`?booking_id=${id}`)).toEqual([1]);
    for (const text of [code, code.toLowerCase(), code.slice(0, -20)])
      expect(await shown(`?voucher_code=${text}`)).toEqual([1]);
    // The beginning of the code has the id; the secret in it must be that of the voucher.
    expect(await shown(`?voucher_code=${code.slice(0, 24)}${code.at(24) === '0' ? '1' : '0'}`)).toEqual([]);
    expect(await shown(`?voucher_code=${code}&status=cancelled`)).toEqual([]);
    expect(await shown('?booking_id=bk_0000')).toEqual([]);
  });

  test('by the beginning of an id is paginated, newest first', async () => {
    const [id = ''] = ids;
    const start = id.slice(0, 8);
    const first = await list(`?booking_id=${start}&limit=3`);
    const second = await list(`?booking_id=${start}&limit=3&cursor=${first.next_cursor}`);
    const numbers = [...first.items, ...second.items].map(({ booking_id }) => ids.indexOf(booking_id) + 1);
    expect(numbers).toEqual([4, 3, 2, 1]);
  });

  test('is paginated', async () => {
    const first = await list('?limit=3');
    expect(first.items.map(({ booking_id: id }) => ids.indexOf(id) + 1)).toEqual([4, 3, 2]);
    const second = await list(`?limit=3&cursor=${first.next_cursor}`);
    expect(second.items.map(({ booking_id: id }) => ids.indexOf(id) + 1)).toEqual([1]);
    expect(second.next_cursor).toBeNull();
  });

  test.each([
    ['city=Atlantis', 'INVALID_CITY'],
    ['status=lost', 'INVALID_REQUEST'],
    ['from=yesterday', 'INVALID_DATE'],
    ['limit=101', 'INVALID_REQUEST'],
    ['booking_id=bk_1', 'INVALID_REQUEST'],
    ['booking_id=river', 'INVALID_REQUEST'],
    ['voucher_code=WM-1', 'INVALID_REQUEST'],
    ['venue_id=', 'INVALID_REQUEST'],
    ['cursor=nonsense', 'INVALID_REQUEST'],
  ] as const)('refuses %s', async (query, code) => {
    expect((await service.get(`/api/bookings?${query}`, service.admin)).refusal.code).toBe(code);
  });

  test('needs an operator token', async () => {
    expect((await service.get('/api/bookings')).refusal.code).toBe('MISSING_TOKEN');
    expect((await service.get('/api/bookings', service.key)).refusal.code).toBe('MISSING_TOKEN');
  });
});

describe('a booking as the operator sees it', () => {
  test('is the customer’s view with key and city', async () => {
    const id = ids[0] ?? '';
    const { data, headers } = await see(id);
    const { key_id, city, guest_erased, cancelled_by, modified_by, ...rest } = data;
    const own = await service.booking(id);
    expect<object>(rest).toEqual(own.data);
    expect([key_id === other.id, city, guest_erased, cancelled_by, modified_by]).toEqual([
      false,
      'Bangkok',
      false,
      null,
      null,
    ]);
    expect(headers.get('etag')).toBe('"1"');
    expect((await see('bk_00000000000000000000')).refusal).toEqual(
      refused(404, 'BOOKING_NOT_FOUND', 'booking_id "bk_00000000000000000000" does not exist; check the id.'),
    );
  });

  test('has the same history as for its customer and the id of the operator, on request', async () => {
    const [, , , id = ''] = ids;
    const { data, headers } = await service.get<Seen>(`/api/bookings/${id}?include=history`, service.admin);
    const own = await service.get<AnswerOf<'get /api/b2a/bookings/:booking_id'>>(
      `/api/b2a/bookings/${id}?include=history`,
      other.headers,
    );
    // The mail fails on its own, before, after or between these two.
    const read = ({ history = [] }: Pick<Seen, 'history'>) =>
      history.filter(({ event }) => !event.startsWith('voucher_mail'));
    expect(read(data).map(({ event, by, operator }) => [event, by, operator])).toEqual([
      ['confirmed', 'user', undefined],
      ['charged', 'user', undefined],
      ['voucher_issued', 'user', undefined],
      ['cancelled', 'operator', 'admin'],
      ['refunded', 'operator', 'admin'],
    ]);
    expect(read(data).map(({ operator: _operator, ...entry }) => entry)).toEqual(read(own.data));
    expect(read(own.data).some((entry) => 'operator' in entry)).toBe(false);
    expect(data.cancelled_by).toBe('admin');
    const { history: _told, ...booking } = data;
    expect<object>(booking).toEqual((await see(id)).data);
    expect(headers.get('etag')).toBe(own.headers.get('etag'));
    expect((await service.get(`/api/bookings/${id}?include=secrets`, service.admin)).refusal).toEqual(
      faulty('INVALID_REQUEST', 'include must be history; it was "secrets".'),
    );
  });

  test('cannot be read or changed by an analyst', async () => {
    const id = ids[0] ?? '';
    for (const path of ['/api/bookings', `/api/bookings/${id}`])
      expect((await service.get(path, service.analyst)).refusal.code).toBe('FORBIDDEN');
    const before = await headOf(service);
    for (const verb of ['confirm', 'reject', 'cancel', 'erase'])
      expect((await service.post(`/api/bookings/${id}/${verb}`, {}, service.analyst)).refusal.code).toBe('FORBIDDEN');
    expect(await headOf(service)).toBe(before);
  });
});

describe('the operator’s cancellation', () => {
  test.each(['venue_unavailable', 'weather', 'system'])(
    'because of %s refunds in full, however late',
    async (reason) => {
      const { data } = await service.book({ booking_date: TODAY, num_adults: 1 });
      const forAgents = {
        booking_id: data.booking_id,
        status: 'cancelled',
        cancelled_at: new Date(service.clock.nowMs()).toISOString(),
        reason,
        refund_status: 'processed',
        refund_amount: 120.5,
        currency: 'THB',
      };
      const cancelled = { ...forAgents, cancelled_by: 'admin' };
      expect((await cancel(data.booking_id, { reason, dry_run: true })).data).toMatchObject({ refund_amount: 120.5 });
      expect((await cancel(data.booking_id, { reason })).data).toEqual(cancelled);
      const stored = (await service.events()).find(
        ({ stream, type }) => stream === `booking-${data.booking_id}` && type === 'BookingCancelled.v2',
      );
      expect(stored?.data).toMatchObject({ by: 'operator', reason, refundMinor: 12_050 });
      // A second cancellation, by anybody and for any reason, changes nothing.
      expect((await cancel(data.booking_id, { reason: 'system' })).data).toEqual(cancelled);
      const own = await service.post(`/api/b2a/bookings/${data.booking_id}/cancel`, {}, service.key);
      expect(own.data).toEqual(forAgents);
      expect(own.headers.get('idempotent-replayed')).toBe('true');
    },
  );

  test('with the reason user_requested refunds by the policy', async () => {
    const { data } = await service.book({ booking_date: TODAY, num_adults: 1 });
    expect((await cancel(data.booking_id, { reason: 'user_requested' })).data).toMatchObject({ refund_amount: 60.25 });
  });

  test('needs a known reason', async () => {
    const { data } = await service.book();
    const rule = 'it must be one of user_requested, venue_unavailable, weather, system.';
    expect((await cancel(data.booking_id, {})).refusal).toEqual(
      faulty('INVALID_REQUEST', `reason is missing; ${rule}`),
    );
    expect((await cancel(data.booking_id, { reason: 'boredom' })).refusal.code).toBe('INVALID_REQUEST');
    expect((await service.booking(data.booking_id)).data.status).toBe('confirmed');
  });

  test('respects If-Match and Idempotency-Key', async () => {
    const { data } = await service.book();
    const id = data.booking_id;
    expect((await cancel(id, { reason: 'weather' }, { 'if-match': '"9"' })).refusal.code).toBe('REVISION_CONFLICT');
    const key = { 'idempotency-key': 'storm' };
    const first = await cancel(id, { reason: 'weather' }, key);
    expect((await cancel(id, { reason: 'weather' }, key)).data).toEqual(first.data);
    expect((await cancel(id, { reason: 'system' }, key)).refusal.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  test('cannot undo a visit', async () => {
    const { data } = await service.book({ booking_date: TODAY });
    await service.verify({ code: data.voucher.code });
    expect((await cancel(data.booking_id, { reason: 'system' })).refusal.code).toBe('BOOKING_NOT_CANCELLABLE');
  });
});
