import { describe, expect, test } from 'bun:test';
import { voidVisits } from '../../../src/application/venue/void-visits.ts';
import { evidenceOf } from '../../support/evidence.ts';
import { deviceId } from '../../support/examples.ts';
import { headOf } from '../../support/log-of-service.ts';
import { NOW, openService, type Service, TODAY, withDevice } from '../../support/service.ts';
import { type AnswerOf, refused } from '../../support/service-answers.ts';
import { testGate, testKey } from '../../support/test-mode.ts';

const HOUR = 3_600_000;
const REASON = 'The device was stolen.';
const VERIFIED_AT = new Date(NOW).toISOString();

type Voided = AnswerOf<'post /api/visits/void'>;
type Listed = AnswerOf<'get /api/visits/void'>;

/** The projections that a visit is in. */
const PROJECTIONS = ['bookings', 'conversions', 'devicedays', 'devicevisits', 'evidence', 'groundtruth', 'visits'];

const voiding = (service: Service, visits: object) =>
  service.post<Voided>('/api/visits/void', { reason: REASON, ...visits }, service.admin);
const listed = async (service: Service, query = '') => {
  await service.documents('devicevisits');
  return (await service.get<Listed>(`/api/visits/void?${query}`, service.admin)).data;
};

/** Bookings of today, visited now, one after another, a minute apart. */
async function visitedAt(service: Service, gate: Record<string, string>, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number++) {
    const { booking_id, voucher } = (await service.book({ booking_date: TODAY })).data;
    expect((await service.verify({ code: voucher.code }, gate)).status).toBe(200);
    ids.push(booking_id);
    service.clock.advance(60_000);
  }
  return ids;
}

describe('the operator voids the visit of a booking', () => {
  test('once: the booking is confirmed again, and shows the void; so do its list and its history', async () => {
    await using service = await openService();
    const { booking_id, voucher } = (await service.book({ booking_date: TODAY })).data;
    const scan = { code: voucher.code, gate: 'main' };
    const { data: visit } = await service.verify(scan);
    service.clock.advance(HOUR);
    const voided_at = new Date(NOW + HOUR).toISOString();
    const first = await voiding(service, { booking_id });
    expect(first.data).toEqual({ voided: 1, complete: true });
    expect(first.headers.get('x-position')).toMatch(/^\d+$/);
    service.clock.advance(HOUR);
    expect((await voiding(service, { booking_id })).data).toEqual({ voided: 0, complete: true });
    const shown = { status: 'confirmed', visit: null, voided_visit: { verified_at: VERIFIED_AT, voided_at } };
    const read = await service.get(`/api/bookings/${booking_id}?include=history`, service.admin);
    expect(read.data).toMatchObject(shown);
    await service.documents('bookings');
    const list = await service.get<{ items: object[] }>('/api/bookings?status=confirmed', service.admin);
    expect(list.data.items).toMatchObject([{ booking_id, ...shown }]);
    const history = (read.data as { history: readonly object[] }).history.slice(-2);
    expect(history).toEqual([
      { at: VERIFIED_AT, event: 'visited', text: 'The voucher was verified at main.', by: 'venue' },
      {
        at: voided_at,
        event: 'visit_voided',
        text: `The visit of ${VERIFIED_AT} was voided.`,
        by: 'operator',
        operator: 'admin',
      },
    ]);
    const entry = {
      booking_id,
      activity_id: 'river-walk',
      venue_id: 'old-pier',
      device_id: visit.check_in_data.device_id,
      gate: 'main',
      verified_at: VERIFIED_AT,
      reported_at: VERIFIED_AT,
      uploaded_sequence: null,
      disputed: false,
      voided_at,
      reason: REASON,
    };
    expect(await listed(service)).toEqual({ items: [entry], next_cursor: null });
  });

  test('of a test booking as well', async () => {
    await using service = await openService();
    const { booking_id, voucher } = (await service.book({ booking_date: TODAY }, await testKey(service))).data;
    expect((await service.verify({ code: voucher.code }, await testGate(service))).status).toBe(200);
    expect((await voiding(service, { booking_id })).data).toEqual({ voided: 1, complete: true });
    expect((await listed(service)).items).toMatchObject([{ booking_id }]);
  });

  test('and can refund it after the date; the statement follows', async () => {
    await using service = await openService();
    const { booking_id, voucher, pricing } = (await service.book({ booking_date: TODAY })).data;
    await service.verify({ code: voucher.code });
    service.clock.advance(48 * HOUR);
    const cancel = (headers: Record<string, string>, path: string) =>
      service.post(`${path}/${booking_id}/cancel`, path === '/api/bookings' ? { reason: 'system' } : {}, headers);
    expect((await cancel(service.admin, '/api/bookings')).refusal.details).toBe('status: completed');
    await voiding(service, { booking_id });
    expect((await cancel(service.key, '/api/b2a/bookings')).refusal.details).toBe('status: past');
    const refunded = await cancel(service.admin, '/api/bookings');
    expect(refunded.data).toMatchObject({ status: 'cancelled', refund_amount: pricing.total });
    await service.documents('statements');
    type Statement = AnswerOf<'get /api/keys/self/statement'>;
    const { totals } = (await service.get<Statement>('/api/keys/self/statement?month=2026-11', service.key)).data;
    expect(totals).toEqual([
      { currency: pricing.currency, charged: pricing.total, refunded: pricing.total, balance: 0 },
    ]);
  });

  test('of a cancelled booking, which is cancelled again; the refund stays', async () => {
    await using service = await openService();
    const { booking_id, voucher } = (await service.book()).data;
    service.clock.set(Date.parse('2026-11-21T17:30:00Z'));
    await service.post(`/api/bookings/${booking_id}/cancel`, { reason: 'weather' }, service.admin);
    service.clock.advance(HOUR);
    const verified_at = '2026-11-21T17:15:00.000Z';
    expect((await service.verify({ code: voucher.code, verified_at })).status).toBe(200);
    expect((await voiding(service, { booking_id })).data.voided).toBe(1);
    expect((await service.booking(booking_id)).data).toMatchObject({
      status: 'cancelled',
      cancellation: { refund_status: 'processed' },
      visit: null,
    });
    expect((await service.verify({ code: voucher.code })).refusal.code).toBe('VOUCHER_CANCELLED');
  });
});

describe('a voided visit', () => {
  test('is in no ranking and no report, whichever of its kind, and a rebuild gives the same numbers', async () => {
    await using service = await openService();
    const reader = await testKey(service);
    const { log_id } = (await service.recommend()).data.context;
    const bookOne = async (change: object) => (await service.book({ booking_date: TODAY, ...change })).data;
    const [kept, gone] = [await bookOne({}), await bookOne({ context_log_id: log_id })];
    const documents = async () => {
      const stored = await Promise.all(PROJECTIONS.map((name) => service.documents(name)));
      return stored.map((each) => each.map(({ doc }) => doc));
    };
    const numbers = async () => {
      await documents();
      // Of a test key, so that reports do not count the request.
      const headers = { ...reader, 'x-position': await headOf(service) };
      const { recommendations } = (await service.recommend({}, headers)).data;
      const groundTruths = recommendations.map(({ id, score_breakdown }) => [id, score_breakdown.ground_truth]);
      const get = async (path: string) =>
        (await service.get<{ items: object[] }>(`/api/analytics/${path}`, service.analyst)).data.items;
      return { groundTruths, visits: await get('visits'), conversions: await get('conversions') };
    };
    await service.verify({ code: kept.voucher.code });
    await evidenceOf(service, 1);
    const before = await numbers();
    await service.verify({ code: gone.voucher.code });
    await evidenceOf(service, 2);
    expect(await numbers()).not.toEqual(before);
    await voiding(service, { booking_id: gone.booking_id });
    await evidenceOf(service, 3);
    expect(await numbers()).toEqual(before);
    expect(before.visits).toEqual([{ visits: 1, guests: 2, disputed: 0 }]);
    const folded = await documents();
    for (const name of PROJECTIONS)
      expect([name, await service.rebuild(name)]).toMatchObject([name, { kind: 'rebuilt', differences: 0 }]);
    expect(await documents()).toEqual(folded);
  });

  test('does not come back by the same scan: a repetition gets its first answer, another report is refused', async () => {
    await using service = await openService();
    const { booking_id, voucher } = (await service.book({ booking_date: TODAY })).data;
    const scan = { code: voucher.code, gate: 'main', verified_at: VERIFIED_AT };
    const keyed = { ...service.gates.pier, 'idempotency-key': 'scan-1' };
    const first = await service.verify(scan, keyed);
    service.clock.advance(HOUR);
    const at = new Date(NOW + HOUR).toISOString();
    await voiding(service, { booking_id });
    service.clock.advance(HOUR);
    const again = await service.verify(scan, keyed);
    expect([again.data, again.headers.get('idempotent-replayed')]).toEqual([first.data, 'true']);
    expect((await service.verify(scan)).refusal).toEqual(
      refused(
        409,
        'VOUCHER_ALREADY_VERIFIED',
        'The operator voided the visit of this voucher; a scan of this device counts only if it is made later.',
        {
          details: `first verified ${VERIFIED_AT} at gate main, voided ${at}`,
          resolution: 'contact_operator',
        },
      ),
    );
    expect((await service.booking(booking_id)).data).toMatchObject({ status: 'confirmed', visit: null });
    const other = (await service.book({ booking_date: TODAY })).data.voucher.code;
    expect((await service.verify({ ...scan, code: other }, keyed)).refusal.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  test('can be followed by a visit, which counts, and whose booking shows both', async () => {
    await using service = await openService();
    const { booking_id, voucher } = (await service.book({ booking_date: TODAY })).data;
    await service.verify({ code: voucher.code });
    await voiding(service, { booking_id });
    service.clock.advance(HOUR);
    expect((await service.verify({ code: voucher.code })).status).toBe(200);
    expect((await service.booking(booking_id)).data).toMatchObject({
      status: 'completed',
      visit: { verified_at: new Date(NOW + HOUR).toISOString(), disputed: false },
      voided_visit: { verified_at: VERIFIED_AT, voided_at: VERIFIED_AT },
    });
    await service.documents('visits');
    const report = await service.get<{ items: object[] }>('/api/analytics/visits', service.analyst);
    expect(report.data.items).toEqual([{ visits: 1, guests: 2, disputed: 0 }]);
  });
});

describe('the operator voids the visits of a device', () => {
  test('all, and none of another device; also of one that was removed', async () => {
    await using service = await openService();
    const lost = await service.createDevice('old-pier');
    const gone = await visitedAt(service, withDevice(lost.device_key), 3);
    await visitedAt(service, service.gates.pier, 1);
    await service.delete(`/api/venues/old-pier/devices/${lost.device_id}`, service.admin);
    expect((await voiding(service, { device_id: lost.device_id })).data).toEqual({ voided: 3, complete: true });
    const page = await listed(service, `device_id=${lost.device_id}`);
    expect(page.items.map(({ booking_id }) => booking_id).toSorted()).toEqual(gone.toSorted());
    await service.documents('visits');
    const report = await service.get<{ items: object[] }>('/api/analytics/visits', service.analyst);
    expect(report.data.items).toEqual([{ visits: 1, guests: 2, disputed: 0 }]);
  });

  test('in a span of the times of their scans, which is half-open', async () => {
    await using service = await openService();
    const { device_id, device_key } = await service.createDevice('old-pier');
    const ids = await visitedAt(service, withDevice(device_key), 4);
    const minute = (number: number) => new Date(NOW + number * 60_000).toISOString();
    const span = { device_id, from: minute(1), to: minute(3) };
    expect((await voiding(service, span)).data).toEqual({ voided: 2, complete: true });
    expect((await voiding(service, span)).data).toEqual({ voided: 0, complete: true });
    const voided = (await listed(service)).items.map(({ booking_id }) => booking_id);
    expect(voided.toSorted()).toEqual(ids.slice(1, 3).toSorted());
    expect((await voiding(service, { device_id, from: TODAY })).data.voided).toBe(2);
  });

  test('in several requests after a fault, each visit exactly once', async () => {
    await using service = await openService();
    const { device_id, device_key } = await service.createDevice('old-pier');
    const ids = await visitedAt(service, withDevice(device_key), 5);
    const { context } = service.node;
    const { bookings } = context.streams;
    // The process dies before the third command.
    let left = 2;
    const handle: typeof bookings.handle = (...args) => {
      if (left-- === 0) throw new Error('the process died');
      return bookings.handle(...args);
    };
    const broken = { ...context, streams: { ...context.streams, bookings: { ...bookings, handle } } };
    const cause = { correlationId: 'void', causationId: 'void', by: 'admin', at: VERIFIED_AT };
    const visits = { kind: 'device', deviceId: deviceId(device_id), fromMs: null, toMs: null } as const;
    const fault: unknown = await voidVisits(visits, REASON, cause, broken).catch((thrown: unknown) => thrown);
    expect(fault).toEqual(new Error('the process died'));
    await service.restart();
    expect((await voiding(service, { device_id })).data.complete).toBe(true);
    expect((await listed(service)).items).toHaveLength(5);
    const stored = (await service.events()).filter(({ type }) => type === 'VisitVoided.v1');
    expect(stored.map(({ stream }) => stream).toSorted()).toEqual(ids.map((id) => `booking-${id}`).toSorted());
  });

  test('and gets the list page by page, the latest first', async () => {
    await using service = await openService();
    const [one = '', two = ''] = await visitedAt(service, service.gates.pier, 2);
    await voiding(service, { booking_id: one });
    service.clock.advance(1);
    await voiding(service, { booking_id: two });
    const first = await listed(service, 'limit=1');
    const second = await listed(service, `limit=1&cursor=${first.next_cursor}`);
    expect([first, second].map(({ items }) => items.map(({ booking_id }) => booking_id))).toEqual([[two], [one]]);
    expect(second.next_cursor).toBeNull();
    expect((await listed(service, `booking_id=${one}`)).items).toMatchObject([{ booking_id: one }]);
  });
});
