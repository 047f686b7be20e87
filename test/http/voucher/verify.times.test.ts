import { describe, expect, test } from 'bun:test';
import { evidenceOf } from '../../support/evidence.ts';
import { NOW, openService, type Service, TODAY, TOMORROW } from '../../support/service.ts';
import { type Booking, faulty, type Refusal, refused } from '../../support/service-answers.ts';

const HOUR = 3_600_000;
const EXPIRED = (until: string, day = TODAY) =>
  refused(410, 'VOUCHER_EXPIRED', `This voucher was for ${day} and has expired; the guest needs a new booking.`, {
    details: `valid until ${until}`,
    resolution: 'contact_operator',
  });
const NOT_YET = (day: string, from: string) =>
  refused(409, 'VOUCHER_NOT_VALID_TODAY', `This voucher is for ${day}; the guest may come back on that date.`, {
    details: `valid from ${from}`,
    retryable: true,
    resolution: 'retry_later',
  });

/** Resolution for a scan with a fixed time: a repetition is refused again. */
const TOO_EARLY = (day: string, from: string): Refusal => ({
  ...NOT_YET(day, from),
  retryable: false,
  resolution: 'contact_operator',
});

const outOfRange = (fromMs: number, toMs: number, sent: string) =>
  refused(
    400,
    'INVALID_REQUEST',
    `verified_at must be from ${utc(fromMs)} to ${utc(toMs)}: at most 48 hours ago, not before the booking was confirmed, and not in the future; it was ${sent}.`,
  );

async function codeOf(service: Service, change: object = {}): Promise<string> {
  return (await service.book({ booking_date: TODAY, ...change })).data.voucher.code;
}

function utc(atMs: number): string {
  return new Date(atMs).toISOString();
}

describe('a voucher is valid at any hour of its date', () => {
  test('from midnight at the city, hours before the venue opens', async () => {
    await using service = await openService();
    const code = await codeOf(service, { booking_date: TOMORROW });
    const midnight = Date.parse('2026-11-21T17:00:00Z');
    service.clock.set(midnight - 1);
    expect((await service.verify({ code })).refusal).toEqual(NOT_YET(TOMORROW, '2026-11-21T17:00:00.000Z'));
    service.clock.set(midnight);
    expect((await service.verify({ code })).data.verified_at).toBe('2026-11-21T17:00:00.000Z');
  });

  test('until one millisecond before closing time; at closing time it is too late', async () => {
    await using service = await openService();
    const [early, late] = [await codeOf(service), await codeOf(service)];
    const closing = Date.parse('2026-11-21T11:00:00Z');
    service.clock.set(closing - 1);
    expect((await service.verify({ code: early })).data.verified_at).toBe('2026-11-21T10:59:59.999Z');
    service.clock.set(closing);
    expect((await service.verify({ code: late })).refusal).toEqual(EXPIRED('2026-11-21T11:00:00.000Z'));
  });

  test('past midnight, where the venue closes then', async () => {
    await using service = await openService();
    const wish = { activity_id: 'night-market' };
    const [early, late, next] = [
      await codeOf(service, wish),
      await codeOf(service, wish),
      await codeOf(service, { ...wish, booking_date: TOMORROW }),
    ];
    const closing = Date.parse('2026-11-21T19:00:00Z');
    service.clock.set(closing - 1);
    expect((await service.verify({ code: early }, service.gates.yard)).status).toBe(200);
    service.clock.set(closing);
    expect((await service.verify({ code: late }, service.gates.yard)).refusal).toEqual(
      EXPIRED('2026-11-21T19:00:00.000Z'),
    );
    expect((await service.verify({ code: next }, service.gates.yard)).status).toBe(200);
  });

  test('not one for yesterday, and not one for tomorrow', async () => {
    await using service = await openService({ startMs: NOW - 24 * HOUR });
    const yesterdays = await codeOf(service, { booking_date: '2026-11-20' });
    const tomorrows = await codeOf(service, { booking_date: TOMORROW });
    service.clock.set(NOW);
    expect((await service.verify({ code: yesterdays })).refusal).toEqual(
      EXPIRED('2026-11-20T11:00:00.000Z', '2026-11-20'),
    );
    expect((await service.verify({ code: tomorrows })).refusal).toEqual(NOT_YET(TOMORROW, '2026-11-21T17:00:00.000Z'));
  });
});

describe('an offline device reports its scan time', () => {
  test('and the date is checked at that time', async () => {
    await using service = await openService();
    const [valid, tooLate, tooEarly] = [
      await codeOf(service),
      await codeOf(service),
      await codeOf(service, { booking_date: TOMORROW }),
    ];
    service.clock.set(Date.parse('2026-11-22T20:00:00Z'));
    const scanned = (code: string, verified_at: string) => service.verify({ code, verified_at });
    expect((await scanned(tooLate, '2026-11-21T11:00:00Z')).refusal).toEqual(EXPIRED('2026-11-21T11:00:00.000Z'));
    expect((await scanned(tooEarly, '2026-11-21T16:59:59.999Z')).refusal).toEqual(
      TOO_EARLY(TOMORROW, '2026-11-21T17:00:00.000Z'),
    );
    expect((await scanned(valid, '2026-11-21T17:59:59.999+07:00')).data.verified_at).toBe('2026-11-21T10:59:59.999Z');
  });

  test('at most 48 hours back, to the millisecond', async () => {
    await using service = await openService();
    const [one, two] = [await codeOf(service), await codeOf(service)];
    const scannedMs = NOW + HOUR;
    const verified_at = utc(scannedMs);
    service.clock.set(scannedMs + 48 * HOUR);
    expect((await service.verify({ code: one, verified_at })).data.verified_at).toBe(verified_at);
    service.clock.advance(1);
    expect((await service.verify({ code: two, verified_at })).refusal).toEqual(
      outOfRange(scannedMs + 1, scannedMs + 48 * HOUR + 1, verified_at),
    );
  });

  test('not in the future, and not before the confirmation', async () => {
    await using service = await openService();
    const code = await codeOf(service);
    for (const verified_at of [utc(NOW + 1), utc(NOW - 1)])
      expect((await service.verify({ code, verified_at })).refusal).toEqual(outOfRange(NOW, NOW, verified_at));
    expect((await service.verify({ code, verified_at: utc(NOW) })).status).toBe(200);
  });

  test('and a repetition of a recorded scan is answered however late it comes', async () => {
    await using service = await openService();
    const scan = { code: await codeOf(service), verified_at: utc(NOW), uploaded_sequence: 7 };
    const headers = { ...service.gates.pier, 'idempotency-key': 'scan-7' };
    service.clock.advance(47 * HOUR);
    const first = await service.verify(scan, headers);
    service.clock.advance(2 * HOUR);
    const again = await service.verify(scan, headers);
    expect([again.data, again.headers.get('idempotent-replayed')]).toEqual([first.data, 'true']);
  });

  test('with the number of the upload; both and the time of the upload are stored', async () => {
    await using service = await openService();
    const code = await codeOf(service);
    const headers = { ...service.gates.pier, 'idempotency-key': 'scan-7' };
    service.clock.advance(HOUR);
    const scan = { code, verified_at: utc(NOW), uploaded_sequence: 7 };
    expect((await service.verify({ ...scan, verified_at: null })).refusal).toEqual(
      refused(
        400,
        'INVALID_REQUEST',
        'uploaded_sequence is sent with an offline scan only; send the time of the scan in verified_at, or leave it out.',
      ),
    );
    for (const uploaded_sequence of [-1, 1.5, 'seven'])
      expect((await service.verify({ ...scan, uploaded_sequence })).refusal.code).toBe('INVALID_REQUEST');
    expect((await service.verify(scan, headers)).status).toBe(200);
    expect((await service.verify({ ...scan, uploaded_sequence: 8 }, headers)).refusal.code).toBe(
      'IDEMPOTENCY_KEY_REUSED',
    );
    const [visit] = (await service.events()).filter(({ type }) => type === 'VisitVerified.v6');
    expect(visit?.data).toMatchObject({ verifiedAtMs: NOW, reportedAtMs: NOW + HOUR, uploadedSequence: 7 });
  });

  test('in any order, with gaps: a device uploads later what got a fault', async () => {
    await using service = await openService();
    const codes = [await codeOf(service), await codeOf(service), await codeOf(service)];
    service.clock.advance(HOUR);
    for (const [index, uploaded_sequence] of [9, 3, 40].entries()) {
      const scan = { code: codes[index] ?? '', verified_at: utc(NOW + uploaded_sequence), uploaded_sequence };
      expect((await service.verify(scan)).status).toBe(200);
    }
    const visits = (await service.events()).filter(({ type }) => type === 'VisitVerified.v6');
    expect(visits.map(({ data }) => (data as { uploadedSequence: number }).uploadedSequence)).toEqual([9, 3, 40]);
  });

  test('and a late report of an earlier scan stays second to a verified visit', async () => {
    await using service = await openService();
    const code = await codeOf(service);
    service.clock.advance(HOUR);
    expect((await service.verify({ code, gate: 'south' })).status).toBe(200);
    expect((await service.verify({ code, gate: 'north', verified_at: utc(NOW) })).refusal.details).toBe(
      `first verified ${utc(NOW + HOUR)} at gate south`,
    );
  });

  test.each([
    'yesterday',
    '2026-11-21',
    '2026-11-21T02:00:00',
    '2026-11-21 02:00:00Z',
    '2026-13-01T02:00:00Z',
    '2026-11-21T25:00:00Z',
    1_795_226_400_000,
  ])('and %p is not a valid time', async (verified_at) => {
    await using service = await openService();
    const sentence = `verified_at must be an ISO 8601 timestamp with a zone; it was ${JSON.stringify(verified_at)}.`;
    expect((await service.verify({ code: await codeOf(service), verified_at })).refusal).toEqual(
      faulty('INVALID_REQUEST', sentence),
    );
  });

  test('and a day that does not exist is refused', async () => {
    const march = Date.parse('2027-03-02T03:00:00Z');
    await using service = await openService({ startMs: march });
    const code = await codeOf(service, { booking_date: '2027-03-02' });
    expect((await service.verify({ code, verified_at: '2027-02-30T03:00:00Z' })).refusal.code).toBe('INVALID_REQUEST');
  });
});

describe('a scan before a cancellation that refunded in full', () => {
  /** A booking for tomorrow, cancelled today, whose date begins before the cancellation. */
  async function cancelledAfterScan(service: Service) {
    const [cancelled, kept] = [await service.book(), await service.book()];
    service.clock.set(Date.parse('2026-11-21T17:30:00Z'));
    const { booking_id } = cancelled.data;
    const reason = { reason: 'weather' };
    const cancellation = await service.post(`/api/bookings/${booking_id}/cancel`, reason, service.admin);
    expect(cancellation.data).toMatchObject({ refund_status: 'processed' });
    service.clock.advance(HOUR);
    const verified_at = '2026-11-21T17:15:00Z';
    for (const { data } of [cancelled, kept])
      expect((await service.verify({ code: data.voucher.code, verified_at })).status).toBe(200);
    return booking_id;
  }

  test('is a disputed visit: on the booking, in its list, in the reports, and after rebuilds', async () => {
    await using service = await openService();
    const id = await cancelledAfterScan(service);
    const visit = { verified_at: '2026-11-21T17:15:00.000Z', disputed: true };
    expect((await service.booking(id)).data).toMatchObject({ status: 'completed', visit });
    const counted = { day: TOMORROW, visits: 1, guests: 2, disputed: 1 };
    const readModels = async () => ({
      bookings: (await service.documents('bookings')).map(({ doc }) => doc),
      visits: (await service.documents('visits')).map(({ doc }) => doc),
      groundtruth: (await service.documents('groundtruth')).map(({ doc }) => doc),
    });
    const evidence = (await evidenceOf(service, 2)).map(({ type, data }) =>
      'why' in data ? `${type}: ${data.why}` : type,
    );
    expect(evidence.toSorted()).toEqual(['VisitCredited', 'VisitPassedOver: disputed']);
    const before = await readModels();
    for (const projection of ['bookings', 'visits', 'groundtruth', 'conversions']) {
      const report = '/api/analytics/visits?group_by=day';
      expect((await service.get<{ items: object[] }>(report, service.analyst)).data.items).toEqual([counted]);
      const list = await service.get<{ items: Booking[] }>('/api/bookings?status=completed', service.admin);
      const visits = new Map(list.data.items.map((booking) => [booking.booking_id, booking.visit]));
      expect([visits.size, visits.get(id)]).toEqual([2, visit]);
      expect(await service.rebuild(projection)).toMatchObject({ kind: 'rebuilt', differences: 0 });
    }
    expect(await readModels()).toEqual(before);
  });

  test('ends every change: the order visit, then cancellation is refused', async () => {
    await using service = await openService();
    const id = await cancelledAfterScan(service);
    const { refusal } = await service.post(`/api/bookings/${id}/cancel`, { reason: 'system' }, service.admin);
    expect(refusal).toMatchObject({ code: 'BOOKING_NOT_CANCELLABLE', details: 'status: completed' });
  });
});
