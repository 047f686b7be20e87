import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createPublicKey, verify } from 'node:crypto';
import { PNG } from 'pngjs';
import { decodeBase32 } from '../../../src/domain/base32.ts';
import { DAY_MS } from '../../../src/eventsourcing/durations.ts';
import { scanPng, scanSvg, tokenIn } from '../../support/scan.ts';
import { openService, type Service, TODAY, TOMORROW } from '../../support/service.ts';
import { type Booking, readAnswer, refused } from '../../support/service-answers.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

type PublishedKey = { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string; readonly kid: string };

async function publishedKeys(): Promise<readonly PublishedKey[]> {
  const answer = await service.send('/.well-known/waymark-voucher-keys.json');
  const { keys } = (await answer.json()) as { readonly keys: readonly PublishedKey[] };
  return keys;
}

async function qrText({ voucher }: Pick<Booking, 'voucher'>): Promise<string> {
  const answer = await service.send(`/api/vouchers/${voucher.code}/qr.png`);
  return scanPng(await answer.arrayBuffer());
}

/** The statuses of the images of a voucher. */
function imagesOf(code: string, of: Service = service): Promise<readonly number[]> {
  const images = ['qr.png', 'qr.svg'].map(async (file) => (await of.send(`/api/vouchers/${code}/${file}`)).status);
  return Promise.all(images);
}

const NOT_FOUND = refused(
  404,
  'VOUCHER_NOT_FOUND',
  'No voucher has this code; scan the QR code again or check each character.',
);
const PAGE = 'text/html; charset=utf-8';

describe('the QR code', () => {
  test('contains a token for the gate, signed with the published key', async () => {
    const { data } = await service.book({ num_children: 1 });
    const text = await qrText(data);
    const token = tokenIn(text);
    expect(text).toBe(`${data.voucher.url}#${token}`);
    const [prefix, kid, code, venue, day, until, guests, revision, signature, ...more] = token.split('.');
    expect(more).toEqual([]);
    expect([prefix, code, venue, day, guests]).toEqual(['WM2', data.voucher.code, 'OLD-PIER', '20261122', '2+1']);
    expect(revision).toBe('1');
    expect(new Date(Number.parseInt(until ?? '', 36) * 1_000).toISOString()).toBe(data.voucher.valid_until);

    const key = (await publishedKeys()).find((published) => published.kid === kid);
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key?.x ?? '' }, format: 'jwk' });
    const signed = Buffer.from(token.slice(0, token.lastIndexOf('.')));
    const bytes = decodeBase32(signature ?? '') ?? Buffer.alloc(0);
    expect(verify(null, signed, publicKey, bytes)).toBe(true);
    for (let at = 0; at < signed.length; at += 7) {
      const changed = Buffer.from(signed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(verify(null, changed, publicKey, bytes)).toBe(false);
    }
  });

  test('is an image at the booking’s qr_url, and is not cached', async () => {
    const { data } = await service.book({ activity_id: 'sea-tunnel' });
    const answer = await service.send(new URL(data.voucher.qr_url).pathname);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('image/png');
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    const page = await service.send(`/api/vouchers/${data.voucher.code}`);
    expect([answer, page].map(({ headers }) => headers.get('x-robots-tag'))).toEqual(
      Array(2).fill('noindex, nofollow'),
    );
    const { width, height } = PNG.sync.read(Buffer.from(await answer.arrayBuffer()));
    expect(width).toBe(height);
    expect(width).toBeGreaterThan(300);
  });

  test('is the same as SVG', async () => {
    const { data } = await service.book({ activity_id: 'sea-tunnel' });
    const answer = await service.send(`/api/vouchers/${data.voucher.code}/qr.svg`);
    expect(answer.headers.get('content-type')).toBe('image/svg+xml');
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    expect(answer.headers.get('x-robots-tag')).toBe('noindex, nofollow');
    expect(scanSvg(await answer.text())).toBe(await qrText(data));
  });

  test('is the same after a restart: the signing key is stored', async () => {
    await using own = await openService();
    const { data } = await own.book();
    const path = `/api/vouchers/${data.voucher.code}/qr.png`;
    const before = await (await own.send(path)).arrayBuffer();
    await own.restart();
    expect(Buffer.from(await (await own.send(path)).arrayBuffer()).equals(Buffer.from(before))).toBe(true);
  });
});

test('the published keys are public keys only, and can be cached', async () => {
  const answer = await service.send('/.well-known/waymark-voucher-keys.json');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
  expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
  const { x, kid } = (await publishedKeys())[0] ?? { x: '', kid: '' };
  expect(Buffer.from(x, 'base64url')).toHaveLength(32);
  expect(kid).toMatch(/^[0-9A-Z]{8}$/);
  expect(await answer.json()).toEqual({ keys: [{ kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' }] });
});

describe('the page', () => {
  const pageOf = async ({ voucher }: Booking, headers: Record<string, string> = {}): Promise<string> =>
    (await service.send(`/api/vouchers/${voucher.code}`, { headers })).text();

  test('is in the booking’s language, not the reader’s', async () => {
    const { data } = await service.book({ activity_id: 'sea-tunnel' }, { 'accept-language': 'th' });
    const page = await pageOf(data, { 'accept-language': 'ja' });
    expect(page).toInclude('<html lang="th">');
    expect(page).toInclude('<h1>Sea Tunnel (th)</h1>');
    expect(page).toInclude('Show the code at the desk (th).');
  });

  test('shows guest, date, venue and code, and the QR code', async () => {
    const { data } = await service.book({ num_children: 2, user_name: '<b>Ada</b> & "co"' });
    const page = await pageOf(data);
    expect(page).toInclude('<html lang="en">');
    expect(page).toInclude('&lt;b&gt;Ada&lt;/b&gt; &amp; ');
    expect(page).not.toInclude('<b>Ada');
    expect(page).toInclude(`<time datetime="${TOMORROW}">`);
    expect(page).toInclude('Old Pier<small>1 Pier Road, Bangkok 10200</small>');
    expect(page).toInclude('<time datetime="2026-11-22T11:00:00.000Z">');
    expect(page).toInclude('09:00–18:00');
    expect(page.replace(/<[^>]*>/g, '')).toInclude(data.voucher.code);
    expect(scanSvg(page)).toBe(await qrText(data));
  });

  test('is not cached, runs no script and loads nothing', async () => {
    const { data } = await service.book({ activity_id: 'sea-tunnel' });
    const { status, headers } = await service.send(`/api/vouchers/${data.voucher.code}`);
    const header = (name: string) => headers.get(name);
    expect([status, header('content-type'), header('cache-control')]).toEqual([200, PAGE, 'private, no-store']);
    expect([header('referrer-policy'), header('x-robots-tag')]).toEqual(['no-referrer', 'noindex, nofollow']);
    expect(header('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+'; /);
  });

  test('of a used voucher shows that it was used, without a QR code', async () => {
    const { data } = await service.book({ booking_date: TODAY });
    await service.verify({ code: data.voucher.code });
    const page = await pageOf(data);
    expect(page).not.toInclude('<svg');
    expect(page).toInclude('<time datetime="2026-11-21T03:00:00.000Z">');
    expect(await imagesOf(data.voucher.code)).toEqual([404, 404]);
  });

  test('of an expired voucher has no QR code, from closing time on', async () => {
    await using own = await openService();
    const { voucher } = (await own.book({ booking_date: TODAY })).data;
    const hasCode = async () => (await (await own.send(`/api/vouchers/${voucher.code}`)).text()).includes('<svg');
    own.clock.set(Date.parse(voucher.valid_until) - 1);
    expect([await hasCode(), await imagesOf(voucher.code, own)]).toEqual([true, [200, 200]]);
    own.clock.advance(1);
    expect([await hasCode(), await imagesOf(voucher.code, own)]).toEqual([false, [404, 404]]);
    expect((await own.get(`/api/vouchers/${voucher.code}/qr.png`)).refusal).toEqual(
      refused(
        404,
        'VOUCHER_NOT_FOUND',
        'The voucher is expired and has no QR code; its page, at the same address without the file name, says more.',
      ),
    );
  });

  test('names the guest until 30 days after the visit, or after the end of the date without one', async () => {
    await using own = await openService();
    const [visited, missed] = [await own.book({ booking_date: TODAY }), await own.book({ booking_date: TODAY })];
    const names = async () => {
      const codes = [visited, missed].map(({ data }) => data.voucher.code);
      const pages = await Promise.all(codes.map(async (code) => (await own.send(`/api/vouchers/${code}`)).text()));
      return pages.map((page) => page.includes('Ada Lovelace'));
    };
    const { data: visit } = await own.verify({ code: visited.data.voucher.code });
    const [visitedMs, endMs] = [visit.verified_at, missed.data.voucher.valid_until].map((at) => Date.parse(at));
    const ahead = 30 * DAY_MS;
    own.clock.set((visitedMs ?? 0) + ahead - 1);
    expect(await names()).toEqual([true, true]);
    own.clock.advance(1);
    expect(await names()).toEqual([false, true]);
    own.clock.set((endMs ?? 0) + ahead);
    expect(await names()).toEqual([false, false]);
    const { user_name } = (await own.booking(visited.data.booking_id)).data;
    expect(user_name).toBe('Ada Lovelace');
  });
});

describe('the code is the credential', () => {
  test('and also works in lower case and with spaces', async () => {
    const { code } = (await service.book({ activity_id: 'sea-tunnel' })).data.voucher;
    const typed = encodeURIComponent(` ${code.toLowerCase().replace(/(.{6})/g, '$1 ')}`);
    expect((await service.send(`/api/vouchers/${typed}`)).status).toBe(200);
  });

  test.each(['', '/qr.png', '/qr.svg'])('and another one gets nothing: {code}%s', async (rest) => {
    const { voucher, booking_id } = (await service.book({ activity_id: 'sea-tunnel' })).data;
    const { code } = voucher;
    const last = code.endsWith('0') ? '1' : '0';
    const others = [
      `${code.slice(0, -1)}${last}`,
      code.slice(0, -1),
      `${code}0`,
      code.slice(0, 23),
      booking_id,
      'WM-0',
      '%00',
    ];
    for (const other of others) {
      const answer = await readAnswer(await service.send(`/api/vouchers/${other}${rest}`));
      expect(answer.refusal).toEqual(NOT_FOUND);
    }
  });
});
