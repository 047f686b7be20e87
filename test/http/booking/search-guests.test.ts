import { describe, expect, spyOn, test } from 'bun:test';
import { DAY_MS } from '../../../src/eventsourcing/durations.ts';
import { headOf } from '../../support/log-of-service.ts';
import { createOperator } from '../../support/operators.ts';
import { openService, type Service, TOMORROW } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';
import { testKey } from '../../support/test-mode.ts';

type Page = AnswerOf<'get /api/bookings'>;

/** The ids that a search finds, in order, after every write so far. */
async function found(service: Service, guest: string, filters = ''): Promise<readonly string[]> {
  const headers = { ...service.admin, 'x-position': await headOf(service) };
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const path = `/api/bookings?guest=${encodeURIComponent(guest)}${filters}${after}`;
    const page: Page = (await service.get<Page>(path, headers)).data;
    ids.push(...page.items.map(({ booking_id }) => booking_id));
    cursor = page.next_cursor;
  }
  return ids;
}

async function bookFor(service: Service, user_name: string, change: object = {}, headers = service.key) {
  service.clock.advance(1_000);
  const { data } = await service.book({ user_name, num_adults: 1, ...change }, headers);
  return data;
}

describe('a search of bookings by guest', () => {
  test('finds by beginnings of names and of the address, newest first, whole as in other lists', async () => {
    await using service = await openService();
    const linh = await bookFor(service, 'Nguyễn Thuỳ Linh', { user_email: 'linh.n@example.com' });
    const other = await bookFor(service, 'Ada Lovelace');
    const nguyen = await bookFor(service, 'NGUYEN Van An', { reference: 'trip-9', metadata: { room: '7' } });
    expect(await found(service, 'nguyen')).toEqual([nguyen.booking_id, linh.booking_id]);
    expect(await found(service, 'thuy nguyễn')).toEqual([linh.booking_id]);
    expect(await found(service, 'linh.n@EXAMPLE.com')).toEqual([linh.booking_id]);
    expect(await found(service, 'linh.n@ex')).toEqual([linh.booking_id]);
    expect(await found(service, 'guyen')).toEqual([]);
    const { data } = await service.get<Page>('/api/bookings?guest=lovelace', service.admin);
    const listed = (await service.get<Page>('/api/bookings', service.admin)).data.items;
    expect(data.items).toEqual(listed.filter(({ booking_id }) => booking_id === other.booking_id));
    const named = (await service.get<Page>('/api/bookings?guest=nguyen', service.admin)).data.items;
    expect(named[0]).toMatchObject({ user_name: 'NGUYEN Van An', reference: 'trip-9', metadata: { room: '7' } });
  });

  test('combines with every other filter, in pages of one', async () => {
    await using service = await openService();
    const tests = await testKey(service);
    const market = await bookFor(service, 'Ada One', { activity_id: 'night-market', reference: 'trip-1' });
    const later = await bookFor(service, 'Ada Two', { booking_date: '2026-11-29' });
    const ofTests = await bookFor(service, 'Ada Three', {}, tests);
    const cancelled = await bookFor(service, 'Ada Four');
    await service.post(`/api/b2a/bookings/${cancelled.booking_id}/cancel`, {}, service.key);
    const headers = { ...service.admin, 'x-position': await headOf(service) };
    const key = (await service.get<Page>('/api/bookings', headers)).data.items[0]?.key_id ?? '';
    const all = [cancelled, ofTests, later, market].map(({ booking_id }) => booking_id);
    expect(await found(service, 'ada', '&limit=1')).toEqual(all);
    const cases: readonly [string, readonly { readonly booking_id: string }[]][] = [
      ['&mode=test', [ofTests]],
      ['&status=cancelled', [cancelled]],
      ['&activity_id=night-market', [market]],
      ['&reference=trip-1', [market]],
      ['&from=2026-11-29', [later]],
      [`&to=${TOMORROW}&mode=live`, [cancelled, market]],
      [`&key_id=${key}`, [cancelled, later, market]],
      ['&city=Hanoi', []],
    ];
    for (const [filters, bookings] of cases)
      expect([filters, await found(service, 'ada', `${filters}&limit=1`)]).toEqual([
        filters,
        bookings.map(({ booking_id }) => booking_id),
      ]);
  });

  test('finds a changed guest by the present data only, once, and an erased one not at all', async () => {
    await using service = await openService();
    const first = await bookFor(service, 'Zelda One', { special_requests: 'zq-requests' });
    const { booking_id: id } = await bookFor(service, 'Grace Hopper', { user_email: 'grace@navy.example' });
    const rename = (user_name: string) => service.post(`/api/b2a/bookings/${id}/modify`, { user_name }, service.key);
    await rename('Zelda Two');
    expect(await found(service, 'hopper')).toEqual([]);
    expect(await found(service, 'zelda')).toEqual([id, first.booking_id]);
    await rename('Grace Hopper');
    expect(await found(service, 'hopper')).toEqual([id]);
    expect(await found(service, 'grace@navy')).toEqual([id]);
    await service.post(`/api/bookings/${id}/erase`, {}, service.admin);
    // No position is sent: the erasure was answered when searches showed it.
    const { data } = await service.get<Page>('/api/bookings?guest=hopper', service.admin);
    expect(data.items).toEqual([]);
    const rest = () => Promise.all(['grace@navy', 'zelda'].map((guest) => found(service, guest)));
    expect(await rest()).toEqual([[], [first.booking_id]]);
    expect(await service.rebuild('guests')).toMatchObject({ kind: 'rebuilt', differences: 0 });
    expect(await rest()).toEqual([[], [first.booking_id]]);
    expect(JSON.stringify(await service.documents('guests'))).not.toMatch(/grace|hopper|@navy/i);
  });

  test('finds an erased guest no more once the erasure is answered, beside a hundred bookings', async () => {
    await using service = await openService();
    const { booking_id: id } = (await service.book()).data;
    const others = Array.from({ length: 100 }, (_, day) =>
      service.book({
        activity_id: 'night-market',
        booking_date: new Date(Date.parse(TOMORROW) + day * DAY_MS).toISOString().slice(0, 10),
        num_adults: 1,
        user_name: `Grace ${day}`,
      }),
    );
    expect((await service.post(`/api/bookings/${id}/erase`, {}, service.admin)).status).toBe(200);
    expect((await service.get<Page>('/api/bookings?guest=lovelace', service.admin)).data.items).toEqual([]);
    expect((await Promise.all(others)).every(({ status }) => status === 200)).toBe(true);
    expect(await found(service, 'lovelace')).toEqual([]);
  });

  test('hides an erased guest although the read model of guests still has the record', async () => {
    await using service = await openService();
    const { booking_id: id } = await bookFor(service, 'Grace Hopper');
    await service.documents('guests');
    const { readModels } = service.node.stores;
    const before = await readModels.find(await service.node.context.collection('guests'), { limit: 10 });
    await service.post(`/api/bookings/${id}/erase`, {}, service.admin);
    using find = spyOn(readModels, 'find').mockImplementation(async () => before);
    expect((await service.get<Page>('/api/bookings?guest=hopper', service.admin)).data.items).toEqual([]);
    expect(find.mock.calls.length).toBe(1);
  });

  test('reads no stream, and two read models once, for a page of matching guests', async () => {
    await using service = await openService({ mails: 'sent' });
    for (let n = 0; n < 8; n++) await bookFor(service, `Ada Number${n}`, { activity_id: 'night-market' });
    // The mailer, which reads streams too, has nothing left to do.
    while ((await service.events()).filter(({ type }) => type.startsWith('VoucherMailed')).length < 8);
    await service.documents('bookings');
    await service.documents('guests');
    await service.restart();
    const { store, readModels } = service.node.stores;
    using read = spyOn(store, 'read');
    using find = spyOn(readModels, 'find');
    using load = spyOn(readModels, 'load');
    const { data } = await service.get<Page>('/api/bookings?guest=ada&limit=5', service.admin);
    // The projections load documents too: those of the audit, for this request.
    const loaded = load.mock.calls.filter(([collection]) => /^(?:bookings|guests)\./.test(collection));
    expect([data.items.length, read.mock.calls.length, find.mock.calls.length, loaded.length]).toEqual([5, 0, 1, 1]);
  });

  test('is refused for a text that is too short, naming the field and the rule', async () => {
    await using service = await openService();
    for (const guest of ['', 'ad', '@example.com', 'x'.repeat(255)]) {
      const { refusal } = await service.get(`/api/bookings?guest=${encodeURIComponent(guest)}`, service.admin);
      expect([refusal.code, refusal.details]).toEqual(['INVALID_REQUEST', expect.stringMatching(/guest.*at least 3/)]);
    }
  });

  test('is for the roles that see guests', async () => {
    await using service = await openService();
    const { headers: viewer } = await createOperator(service, 'viewer');
    expect((await service.get('/api/bookings?guest=ada', viewer)).refusal).toMatchObject({
      code: 'FORBIDDEN',
      error: expect.stringContaining('does not see guest'),
    });
    expect((await service.get('/api/bookings?guest=ada', service.analyst)).refusal.code).toBe('FORBIDDEN');
    expect((await service.get('/api/b2a/bookings?guest=ada', service.key)).refusal.code).toBe('INVALID_REQUEST');
  });
});
