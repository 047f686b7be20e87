import { describe, expect, test } from 'bun:test';
import { NOW, openService, type Service, TODAY, TOMORROW } from '../../support/service.ts';
import { faulty, type Refusal, refused } from '../../support/service-answers.ts';

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
    const sentence = `verified_at must lie within the last 48 hours; it was ${verified_at}, now it is ${utc(scannedMs + 48 * HOUR + 1)}.`;
    expect((await service.verify({ code: two, verified_at })).refusal).toEqual(
      refused(400, 'INVALID_REQUEST', sentence),
    );
  });

  test('with a clock at most one minute ahead', async () => {
    await using service = await openService();
    const code = await codeOf(service);
    const { refusal } = await service.verify({ code, verified_at: utc(NOW + 60_001) });
    const sentence = `verified_at must lie within the last 48 hours; it was ${utc(NOW + 60_001)}, now it is ${utc(NOW)}.`;
    expect(refusal).toEqual(refused(400, 'INVALID_REQUEST', sentence));
    expect((await service.verify({ code, verified_at: utc(NOW + 60_000) })).status).toBe(200);
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
