import { describe, expect, test } from 'bun:test';
import { generateKeyPairSync, sign } from 'node:crypto';
import { encodeBase32 } from '../../../src/domain/base32.ts';
import { scanPng, tokenIn } from '../../support/scan.ts';
import { openService, type Service, TODAY } from '../../support/service.ts';
import { type Answer, type Booking, faulty, refused, type Visit } from '../../support/service-answers.ts';

const NOT_FOUND = refused(
  404,
  'VOUCHER_NOT_FOUND',
  'No voucher has this code; scan the QR code again or check each character.',
);
const TOKEN_INVALID = refused(
  400,
  'VOUCHER_TOKEN_INVALID',
  'The signature of this QR code is invalid: Waymark did not issue it, or it was changed. Admit nobody with it.',
  { resolution: 'contact_operator' },
);
const used = (details: string) =>
  refused(409, 'VOUCHER_ALREADY_VERIFIED', 'This voucher was already used; do not admit the guest again.', {
    details,
    resolution: 'contact_operator',
  });
const CODE_RULE = "code must be the text of the QR code, or the voucher's code or short code";
const REUSED = refused(
  422,
  'IDEMPOTENCY_KEY_REUSED',
  'This Idempotency-Key was used for a request with another body; send a new Idempotency-Key.',
);

const IN_PROGRESS = refused(
  409,
  'IDEMPOTENCY_IN_PROGRESS',
  'The first request with this Idempotency-Key is still in progress; send it again after one second.',
  { retryable: true, resolution: 'retry_later' },
);

/** A booking for today, and the token in its QR code. */
async function arriving(
  service: Service,
  change: object = {},
): Promise<{ booking: Booking; token: string; code: string }> {
  const booking = (await service.book({ booking_date: TODAY, ...change })).data;
  const answer = await service.send(`/api/vouchers/${booking.voucher.code}/qr.png`);
  return { booking, token: tokenIn(scanPng(await answer.arrayBuffer())), code: booking.voucher.code };
}

async function visits(service: Service) {
  return (await service.events()).filter(({ type }) => type === 'VisitVerified.v6');
}

function isReplay({ headers }: Answer<Visit>): boolean {
  return headers.get('idempotent-replayed') === 'true' && headers.get('x-position') === null;
}

describe('a scan', () => {
  test('completes the booking, and is stored in its stream', async () => {
    await using service = await openService();
    const { booking, token } = await arriving(service, { num_children: 3 });
    const device = await service.createDevice('old-pier', 'North gate');
    service.clock.advance(3_600_000);
    const answer = await service.verify({ code: token, gate: 'north' }, { 'x-device-key': device.device_key });
    expect<object>(answer.data).toMatchObject({
      booking_id: booking.booking_id,
      activity_id: 'river-walk',
      activity_title: 'River Walk (en)',
      venue_id: 'old-pier',
      venue_name: 'Old Pier',
      verified_at: '2026-11-21T04:00:00.000Z',
      verification_method: 'qr_scan',
      check_in_data: { gate: 'north', device_id: device.device_id },
      user_name: 'Ada Lovelace',
      num_adults: 2,
      num_children: 3,
      num_guests: 5,
    });
    expect(answer.headers.get('x-position')).toMatch(/^\d+$/);
    expect(isReplay(answer)).toBe(false);
    expect((await visits(service)).map(({ stream, data }) => [stream, data])).toEqual([
      [
        `booking-${booking.booking_id}`,
        expect.objectContaining({
          method: 'qr_scan',
          gate: 'north',
          numGuests: 5,
          city: 'Bangkok',
          attribution: null,
        }),
      ],
    ]);
  });

  test('of a typed code is manual, accepts lower case and spaces, and needs no gate', async () => {
    await using service = await openService();
    const { code } = await arriving(service);
    const typed = `  ${code
      .toLowerCase()
      .replaceAll('-', ' ')
      .replace(/(\w{5})/g, '$1 ')}`;
    expect((await service.verify({ code: typed, gate: null })).data).toMatchObject({
      verification_method: 'manual',
      check_in_data: { gate: null },
    });
  });

  test('accepts the token in lower case and with white space around it', async () => {
    await using service = await openService();
    const { token } = await arriving(service);
    expect((await service.verify({ code: ` ${token.toLowerCase()}\n` })).data.verification_method).toBe('qr_scan');
  });

  test('names the activity in the booking’s language', async () => {
    await using service = await openService();
    const booking = (await service.book({ booking_date: TODAY }, { 'accept-language': 'zh-CN' })).data;
    const { data } = await service.verify({ code: booking.voucher.code });
    expect<object>(data).toMatchObject({ activity_title: 'River Walk (zh)' });
  });
});

describe('a second scan', () => {
  test('is VOUCHER_ALREADY_VERIFIED, with time and gate of the first', async () => {
    await using service = await openService();
    const { token, code } = await arriving(service);
    await service.verify({ code: token, gate: 'north' });
    service.clock.advance(60_000);
    for (const again of [token, code]) {
      expect((await service.verify({ code: again, gate: 'south' })).refusal).toEqual(
        used('first verified 2026-11-21T03:00:00.000Z at gate north'),
      );
    }
    expect(await visits(service)).toHaveLength(1);
  });

  test('is VOUCHER_ALREADY_VERIFIED without a gate too, after a restart, and long after the date', async () => {
    await using service = await openService();
    const { code } = await arriving(service);
    await service.verify({ code });
    await service.restart();
    service.clock.advance(30 * 86_400_000);
    expect((await service.verify({ code })).refusal).toEqual(
      used('first verified 2026-11-21T03:00:00.000Z without a gate'),
    );
  });

  test('of twenty at once at two gates, one is the visit', async () => {
    await using service = await openService();
    const { token, code } = await arriving(service);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        service.verify({ code: at % 3 === 0 ? code : token, gate: `gate ${at % 2}` }),
      ),
    );
    const verified = answers.filter(({ status }) => status === 200);
    expect(verified).toHaveLength(1);
    const details = `first verified 2026-11-21T03:00:00.000Z at gate ${(await visits(service)).map(({ data }) => (data as { gate: string }).gate).join()}`;
    for (const { refusal } of answers.filter(({ status }) => status !== 200)) expect(refusal).toEqual(used(details));
  });
});

describe('an invalid code', () => {
  test('is VOUCHER_NOT_FOUND: unknown, malformed, or with a wrong last character', async () => {
    await using service = await openService();
    const { code, booking } = await arriving(service);
    const other = code.endsWith('0') ? '1' : '0';
    const unknown = [
      'x',
      'WM1.',
      'https://evil.example/',
      booking.booking_id,
      `${code.slice(0, -1)}${other}`,
      `${code}${other}`,
    ];
    for (const text of [...unknown, `WM-00000000000000000000-${code.slice(24)}`, 'ſ'.repeat(50), '\u0000']) {
      expect((await service.verify({ code: text })).refusal).toEqual(NOT_FOUND);
    }
    expect(await visits(service)).toEqual([]);
  });

  test('in a token with any changed field is VOUCHER_TOKEN_INVALID', async () => {
    await using service = await openService();
    const { token } = await arriving(service);
    const other = (await arriving(service, { activity_id: 'night-market', num_adults: 20 })).token;
    const fields = token.split('.');
    const others = other.split('.');
    const later = (Number.parseInt(fields[5] ?? '', 36) + 86_400).toString(36).toUpperCase();
    const changes: readonly (readonly [field: number, value: string])[] = [
      [1, '00000000'],
      [2, others[2] ?? ''],
      [3, 'RAIL-YARD'],
      [4, '20261122'],
      [5, later],
      [6, '20+0'],
      [7, '2'],
      ...[others[8] ?? '', encodeBase32(new Uint8Array(64)), ''].map((value) => [8, value] as const),
    ];
    for (const [field, value] of changes) {
      expect(value).not.toBe(fields[field] ?? '');
      expect((await service.verify({ code: fields.with(field, value).join('.') })).refusal).toEqual(TOKEN_INVALID);
    }
    for (let at = 'WM2.'.length; at < token.length; at += 11) {
      const changed = token[at] === '7' ? '8' : '7';
      const { refusal } = await service.verify({ code: `${token.slice(0, at)}${changed}${token.slice(at + 1)}` });
      expect([refusal.code, at]).toEqual([token[at] === '.' ? 'VOUCHER_NOT_FOUND' : 'VOUCHER_TOKEN_INVALID', at]);
    }
    expect(await visits(service)).toEqual([]);
  });

  test('in a token with another signing key is VOUCHER_TOKEN_INVALID', async () => {
    await using service = await openService();
    const { token } = await arriving(service);
    const signed = token.slice(0, token.lastIndexOf('.'));
    const forged = sign(null, Buffer.from(signed), generateKeyPairSync('ed25519').privateKey);
    expect((await service.verify({ code: `${signed}.${encodeBase32(forged)}` })).refusal).toEqual(TOKEN_INVALID);
  });

  test.each([
    [undefined, "code is missing; it must be the text of the QR code, or the voucher's code or short code."],
    ['', `${CODE_RULE}; it was "".`],
    [7, `${CODE_RULE}; it was 7.`],
    ['x'.repeat(1_001), `${CODE_RULE}; it was "${'x'.repeat(76)}….`],
  ])('%p is INVALID_REQUEST', async (code, sentence) => {
    await using service = await openService();
    expect((await service.verify({ code })).refusal).toEqual(faulty('INVALID_REQUEST', sentence));
  });
});

describe('a device of another venue', () => {
  const wrong = refused(403, 'WRONG_VENUE', 'This voucher is for another venue, Old Pier; send the guest there.', {
    details: '1 Pier Road, Bangkok 10200',
    resolution: 'choose_other',
  });

  test('gets WRONG_VENUE, for a token, a code, and a used or expired voucher', async () => {
    await using service = await openService();
    const { token, code } = await arriving(service);
    expect((await service.verify({ code: token }, service.gates.yard)).refusal).toEqual(wrong);
    expect((await service.verify({ code }, service.gates.yard)).refusal).toEqual(wrong);
    await service.verify({ code });
    expect((await service.verify({ code }, service.gates.yard)).refusal).toEqual(wrong);
    service.clock.advance(7 * 86_400_000);
    expect((await service.verify({ code }, service.gates.yard)).refusal).toEqual(wrong);
    expect(await visits(service)).toHaveLength(1);
  });

  test('gets no details of a changed token', async () => {
    await using service = await openService();
    const { token } = await arriving(service);
    const changed = token.replace('OLD-PIER', 'RAIL-YARD');
    expect((await service.verify({ code: changed }, service.gates.yard)).refusal).toEqual(TOKEN_INVALID);
  });
});

describe('an Idempotency-Key at the gate', () => {
  const KEY = { 'idempotency-key': 'scan 7' };

  test('makes repeated scans one visit with one answer, at once, later and after a restart', async () => {
    await using service = await openService();
    const { token } = await arriving(service);
    const scan = () => service.verify({ code: token, gate: 'north' }, KEY);
    const answers = await Promise.all(Array.from({ length: 20 }, scan));
    const verified = answers.filter(({ status }) => status === 200);
    for (const { refusal } of answers.filter(({ status }) => status !== 200)) expect(refusal).toEqual(IN_PROGRESS);
    const [{ data: first } = expect.unreachable()] = verified;
    for (const { data } of verified) expect(data).toEqual(first);
    expect(verified.filter((answer) => !isReplay(answer))).toHaveLength(1);
    service.clock.advance(3_600_000);
    await service.restart();
    const again = await scan();
    expect([again.data, isReplay(again)]).toEqual([first, true]);
    expect(await visits(service)).toHaveLength(1);
  });

  test('with another gate is refused', async () => {
    await using service = await openService();
    const { token } = await arriving(service);
    await service.verify({ code: token, gate: 'north' }, KEY);
    expect((await service.verify({ code: token, gate: 'south' }, KEY)).refusal).toEqual(REUSED);
    expect((await service.verify({ code: token }, KEY)).refusal).toEqual(REUSED);
  });

  test('with another time of the scan is refused', async () => {
    await using service = await openService();
    const { token } = await arriving(service);
    await service.verify({ code: token, verified_at: '2026-11-21T03:00:00Z' }, KEY);
    expect((await service.verify({ code: token, verified_at: '2026-11-21T03:00:01Z' }, KEY)).refusal).toEqual(REUSED);
  });

  test('with another voucher is refused', async () => {
    await using service = await openService();
    const [one, two] = [await arriving(service), await arriving(service)];
    await service.verify({ code: one.token }, KEY);
    expect((await service.verify({ code: two.token }, KEY)).refusal).toEqual(REUSED);
    expect(await visits(service)).toHaveLength(1);
  });

  test('with two vouchers at once admits one of them', async () => {
    await using service = await openService();
    const arrivals = [await arriving(service), await arriving(service)];
    const answers = await Promise.all(arrivals.map(({ token }) => service.verify({ code: token }, KEY)));
    expect(answers.map(({ status }) => status)).toEqual([200, 422]);
    await service.restart();
    const again = await Promise.all(arrivals.map(({ token }) => service.verify({ code: token }, KEY)));
    expect(again.map(({ status }) => status)).toEqual([200, 422]);
    expect(await visits(service)).toHaveLength(1);
  });

  test('replays its visit even while another voucher is being refused', async () => {
    await using service = await openService();
    const [one, two] = [await arriving(service), await arriving(service)];
    const { data } = await service.verify({ code: one.token }, KEY);
    const scans = [two, one].map(({ token }) => service.verify({ code: token }, KEY));
    const [other, own] = await Promise.all(scans);
    expect(other?.refusal).toEqual(REUSED);
    expect(own?.data).toEqual(data);
  });

  test('whose scan was refused can be used for another voucher', async () => {
    await using service = await openService();
    const [tomorrows, todays] = [await arriving(service, { booking_date: '2026-11-22' }), await arriving(service)];
    expect((await service.verify({ code: tomorrows.token }, KEY)).refusal.code).toBe('VOUCHER_NOT_VALID_TODAY');
    expect((await service.verify({ code: todays.token }, KEY)).status).toBe(200);
    expect((await service.verify({ code: tomorrows.token }, KEY)).refusal).toEqual(REUSED);
  });

  test('whose voucher another scan verified can be used for another voucher', async () => {
    await using service = await openService();
    const [first, second] = [await arriving(service), await arriving(service)];
    expect((await service.verify({ code: first.token }, { ...KEY, ...service.gates.yard })).refusal.code).toBe(
      'WRONG_VENUE',
    );
    await service.verify({ code: first.token });
    const yards = { ...KEY, ...service.gates.yard };
    const other = await arriving(service, { activity_id: 'night-market' });
    expect((await service.verify({ code: other.token }, yards)).status).toBe(200);
    expect((await service.verify({ code: second.token }, yards)).refusal).toEqual(REUSED);
  });

  test('of another device, or another key, is another scan', async () => {
    await using service = await openService();
    const { token } = await arriving(service);
    const other = await service.createDevice('old-pier');
    await service.verify({ code: token }, KEY);
    const details = 'first verified 2026-11-21T03:00:00.000Z without a gate';
    expect((await service.verify({ code: token }, { ...KEY, 'x-device-key': other.device_key })).refusal).toEqual(
      used(details),
    );
    expect((await service.verify({ code: token }, { 'idempotency-key': 'scan 8' })).refusal).toEqual(used(details));
  });

  test('of a refused scan is decided again', async () => {
    await using service = await openService();
    const { token } = await arriving(service, { booking_date: '2026-11-22' });
    expect((await service.verify({ code: token }, KEY)).refusal.code).toBe('VOUCHER_NOT_VALID_TODAY');
    service.clock.advance(86_400_000);
    const answer = await service.verify({ code: token }, KEY);
    expect([answer.status, isReplay(answer)]).toEqual([200, false]);
  });

  test('has 1 to 255 characters', async () => {
    await using service = await openService();
    const sentence = 'The header Idempotency-Key must be 1 to 255 characters; it was 256.';
    expect((await service.verify({ code: 'x' }, { 'idempotency-key': 'x'.repeat(256) })).refusal).toEqual(
      refused(400, 'INVALID_REQUEST', sentence),
    );
  });
});
