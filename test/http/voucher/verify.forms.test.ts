import { describe, expect, test } from 'bun:test';
import { headOf } from '../../support/log-of-service.ts';
import { scanPng, tokenIn } from '../../support/scan.ts';
import { openService, type Service, TODAY, TOMORROW } from '../../support/service.ts';
import type { Booking } from '../../support/service-answers.ts';
import { testGate, testKey } from '../../support/test-mode.ts';

const NOT_FOUND = 'VOUCHER_NOT_FOUND';

async function bookedToday(service: Service, change: object = {}): Promise<Booking> {
  return (await service.book({ booking_date: TODAY, ...change })).data;
}

async function qrOf(service: Service, { voucher }: Booking): Promise<string> {
  return scanPng(await (await service.send(new URL(voucher.qr_url).pathname)).arrayBuffer());
}

/** The code of the refusal; null for a visit. */
async function outcome(service: Service, body: object, gate = service.gates.pier): Promise<string | null> {
  const answer = await service.verify(body, gate);
  return answer.status === 200 ? null : answer.refusal.code;
}

async function visits(service: Service): Promise<number> {
  return (await service.events()).filter(({ type }) => type === 'VisitVerified.v6').length;
}

describe('a scanned text', () => {
  test('may be the address with the token, the token, the address, the code or the short code', async () => {
    await using service = await openService();
    const forms = async (booking: Booking): Promise<readonly (readonly [method: string, text: string])[]> => {
      const text = await qrOf(service, booking);
      const { code, url, short_code } = booking.voucher;
      return [
        ['qr_scan', text],
        ['qr_scan', text.replace('http://localhost', 'https://another.example:8443')],
        ['qr_scan', tokenIn(text)],
        ['manual', url],
        ['manual', `${url}?lang=th`],
        ['manual', code],
        ['manual', short_code],
        ['manual', `${short_code.slice(0, 5).toLowerCase()} ${short_code.slice(5)}`],
        ['manual', `${short_code.slice(0, 5)}–${short_code.slice(5)}`],
      ];
    };
    const count = (await forms(await bookedToday(service, { num_adults: 1 }))).length;
    for (let at = 0; at < count; at++) {
      const booking = await bookedToday(service, { num_adults: 1 });
      const [method, text] = (await forms(booking))[at] ?? ['', ''];
      const answer = await service.verify({ code: text });
      expect([text, answer.data.booking_id, answer.data.verification_method]).toEqual([
        text,
        booking.booking_id,
        method as 'manual',
      ]);
    }
  });

  test('with a changed token in the address is VOUCHER_TOKEN_INVALID', async () => {
    await using service = await openService();
    const text = await qrOf(service, await bookedToday(service));
    expect(await outcome(service, { code: `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}` })).toBe(
      'VOUCHER_TOKEN_INVALID',
    );
    expect(await outcome(service, { code: text.replace('/api/vouchers/', '/pay/') })).toBe(NOT_FOUND);
  });
});

describe('a short code', () => {
  test('has ten characters, is the end of no hash that gates read, and opens no page', async () => {
    await using service = await openService();
    const { voucher } = await bookedToday(service);
    expect(voucher.short_code).toMatch(/^[0-9A-HJKMNP-TV-Z]{10}$/);
    expect((await service.send(`/api/vouchers/${voucher.short_code}`)).status).toBe(404);
    const { data } = await service.get('/api/venue/arrivals', service.gates.pier);
    expect(JSON.stringify(data)).not.toContain(voucher.short_code);
  });

  test('is accepted at the gates of its venue and mode only', async () => {
    await using service = await openService();
    const { voucher } = await bookedToday(service);
    const key = await testKey(service);
    const ofTest = (await service.book({ booking_date: TODAY }, key)).data.voucher.short_code;
    const code = voucher.short_code;
    expect(await outcome(service, { code }, service.gates.yard)).toBe(NOT_FOUND);
    expect(await outcome(service, { code }, await testGate(service))).toBe(NOT_FOUND);
    expect(await outcome(service, { code: ofTest })).toBe(NOT_FOUND);
    expect(await outcome(service, { code: ofTest }, await testGate(service))).toBeNull();
    expect(await outcome(service, { code })).toBeNull();
    expect(await outcome(service, { code })).toBe('VOUCHER_ALREADY_VERIFIED');
  });

  test('is found right after the booking, after a rebuild, and as long as the booking has this voucher', async () => {
    await using service = await openService();
    const first = await bookedToday(service);
    expect(await outcome(service, { code: first.voucher.short_code, dry_run: true })).toBeNull();
    expect(await service.rebuild('bookings')).toMatchObject({ kind: 'rebuilt', differences: 0 });
    await service.post(`/api/b2a/bookings/${first.booking_id}/cancel`, {}, service.key);
    expect(await outcome(service, { code: first.voucher.short_code })).toBe('VOUCHER_CANCELLED');
  });

  test('of a device that sends thirty a minute must wait; its other scans and other devices need not', async () => {
    await using service = await openService();
    const booking = await bookedToday(service);
    const text = await qrOf(service, booking);
    for (let n = 10; n < 40; n++) expect(await outcome(service, { code: `00000000${n}` })).toBe(NOT_FOUND);
    const { refusal } = await service.verify({ code: booking.voucher.short_code });
    expect([refusal.status, refusal.code, refusal.error]).toEqual([
      429,
      'RATE_LIMITED',
      expect.stringMatching(/^Too many short codes came from dev_\w+; send this one again in 2 s\.$/),
    ]);
    expect(await outcome(service, { code: text, dry_run: true })).toBeNull();
    expect(await outcome(service, { code: booking.voucher.short_code }, service.gates.yard)).toBe(NOT_FOUND);
    service.clock.advance(2_000);
    expect(await outcome(service, { code: booking.voucher.short_code })).toBeNull();
  });
});

describe('a dry run', () => {
  test('answers what a scan would answer, and records nothing', async () => {
    await using service = await openService();
    const { booking_id: id, voucher } = await bookedToday(service, {
      special_requests: 'A wheelchair.',
      num_children: 1,
    });
    const before = (await service.events()).length;
    for (let n = 0; n < 5; n++) {
      const { data } = await service.verify({ code: voucher.code, dry_run: true }, { 'idempotency-key': 'one' });
      expect(data).toMatchObject({
        booking_id: id,
        dry_run: true,
        user_name: 'Ada Lovelace',
        special_requests: 'A wheelchair.',
        opens_at: '2026-11-21T02:00:00.000Z',
        closes_at: '2026-11-21T11:00:00.000Z',
        num_guests: 3,
        guests_present: 3,
        time_zone: 'Asia/Bangkok',
      });
    }
    expect((await service.events()).length).toBe(before);
    const { data } = await service.verify({ code: voucher.code }, { 'idempotency-key': 'one' });
    expect(data).toMatchObject({ booking_id: id, dry_run: false });
    expect(await visits(service)).toBe(1);
    expect(await outcome(service, { code: voucher.code, dry_run: true })).toBe('VOUCHER_ALREADY_VERIFIED');
    expect(await visits(service)).toBe(1);
  });

  test('refuses as a scan does', async () => {
    await using service = await openService();
    const later = (await service.book({ booking_date: TOMORROW })).data;
    const cancelled = await bookedToday(service);
    await service.post(`/api/b2a/bookings/${cancelled.booking_id}/cancel`, {}, service.key);
    const dry = (booking: Booking, gate = service.gates.pier) =>
      outcome(service, { code: booking.voucher.code, dry_run: true }, gate);
    expect(await dry(later)).toBe('VOUCHER_NOT_VALID_TODAY');
    expect(await dry(later, service.gates.yard)).toBe('WRONG_VENUE');
    expect(await dry(cancelled)).toBe('VOUCHER_CANCELLED');
    service.clock.advance(5 * 86_400_000);
    expect(await dry(later)).toBe('VOUCHER_EXPIRED');
  });
});

describe('a party of which some come later', () => {
  const arrive = (service: Service, body: object, gate = service.gates.pier) =>
    service.post<{ readonly booking_id: string; readonly guests_present: number; readonly num_guests: number }>(
      '/api/venue/arrivals',
      body,
      gate,
    );

  test('is one visit, and every number is kept once', async () => {
    await using service = await openService();
    const { booking_id, voucher } = await bookedToday(service, { num_adults: 4 });
    const scan = await service.verify({ code: voucher.code, guests_present: 2 });
    expect(scan.data).toMatchObject({ num_guests: 4, guests_present: 2 });
    const listed = async () => {
      const headers = { ...service.gates.pier, 'x-position': await headOf(service) };
      const { data } = await service.get<{ items: readonly { guests_present: number }[] }>(
        '/api/venue/arrivals',
        headers,
      );
      return data.items[0]?.guests_present;
    };
    expect(await listed()).toBe(2);
    const first = await arrive(service, { booking_id, guests_present: 3 });
    expect([first.data, first.headers.get('idempotent-replayed')]).toEqual([
      { booking_id, guests_present: 3, num_guests: 4 },
      null,
    ]);
    for (const guests_present of [3, 2]) {
      const again = await arrive(service, { booking_id, guests_present });
      expect([again.data.guests_present, again.headers.get('idempotent-replayed')]).toEqual([3, 'true']);
    }
    expect(await listed()).toBe(3);
    expect((await arrive(service, { booking_id, guests_present: 4 })).data.guests_present).toBe(4);
    expect(await visits(service)).toBe(1);
    const { data } = await service.get<{ history: readonly { event: string; by: string; text: string }[] }>(
      `/api/b2a/bookings/${booking_id}?include=history`,
      service.key,
    );
    expect(data.history.filter(({ by }) => by === 'venue').map(({ event, text }) => [event, text])).toEqual([
      ['visited', 'The voucher was verified at the venue; 2 of 4 guests came.'],
      ['guests_arrived', 'More guests arrived; 3 are present.'],
      ['guests_arrived', 'More guests arrived; 4 are present.'],
    ]);
    expect(await service.rebuild('bookings')).toMatchObject({ kind: 'rebuilt', differences: 0 });
  });

  test('is refused where it makes no sense, and says why', async () => {
    await using service = await openService();
    const { booking_id, voucher } = await bookedToday(service, { num_adults: 4 });
    const refusal = async (body: object, gate = service.gates.pier) => {
      const { refusal: found } = await arrive(service, { booking_id, guests_present: 2, ...body }, gate);
      return [found.code, found.error];
    };
    expect(await refusal({})).toEqual([
      'INVALID_REQUEST',
      `The booking ${booking_id} has no visit; scan its voucher first, with guests_present.`,
    ]);
    expect((await service.verify({ code: voucher.code, guests_present: 5 })).refusal).toMatchObject({
      code: 'INVALID_REQUEST',
      error: 'guests_present is at most the number of booked guests; the booking is for 4 guests.',
    });
    expect(await outcome(service, { code: voucher.code, guests_present: 0 })).toBe('INVALID_REQUEST');
    await service.verify({ code: voucher.code, guests_present: 1 });
    expect((await refusal({ guests_present: 5 }))[0]).toBe('INVALID_REQUEST');
    expect((await refusal({}, service.gates.yard))[0]).toBe('WRONG_VENUE');
    expect((await refusal({}, await testGate(service)))[0]).toBe('BOOKING_NOT_FOUND');
    expect((await refusal({ booking_id: 'bk_unknown' }))[0]).toBe('BOOKING_NOT_FOUND');
    expect((await refusal({ guests: 2 }))[0]).toBe('INVALID_REQUEST');
    await service.post('/api/visits/void', { booking_id, reason: 'A mistake.' }, service.admin);
    expect((await refusal({}))[0]).toBe('INVALID_REQUEST');
    service.clock.advance(60_000);
    await service.verify({ code: voucher.code, guests_present: 1 });
    service.clock.advance(86_400_000);
    expect((await refusal({}))[0]).toBe('VOUCHER_EXPIRED');
  });

  test('has one Idempotency-Key per scan: another number is another body', async () => {
    await using service = await openService();
    const { voucher } = await bookedToday(service, { num_adults: 4 });
    const scan = (guests_present: number) =>
      service.verify({ code: voucher.code, guests_present }, { 'idempotency-key': 'scan-1' });
    expect((await scan(2)).status).toBe(200);
    expect((await scan(2)).headers.get('idempotent-replayed')).toBe('true');
    expect((await scan(3)).refusal.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });
});
