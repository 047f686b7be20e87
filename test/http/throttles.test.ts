import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openService, type Service, TODAY } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

/** The statuses of many answers to one address, with their numbers. */
async function statuses(paths: Iterable<string>, peer: string): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  service.peer = peer;
  for (const path of paths) {
    const { status } = await service.send(path);
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

const times = (count: number, path: string): readonly string[] => Array.from({ length: count }, () => path);

test('200 guests behind one address open their vouchers, with both images', async () => {
  const { code } = (await service.book({ booking_date: TODAY })).data.voucher;
  const opened = ['', '/qr.png', '/qr.svg'].flatMap((rest) => times(200, `/api/vouchers/${code}${rest}`));
  expect(await statuses(opened, '203.0.113.1')).toEqual({ 200: 600 });
  const { refusal, headers } = await service.get(`/api/vouchers/${code}`);
  expect(refusal).toMatchObject({
    status: 429,
    code: 'RATE_LIMITED',
    error: 'Too many requests for vouchers came from 203.0.113.1; send this one again in 1 s.',
  });
  expect(headers.get('retry-after')).toBe('1');
});

describe('requests of one address', () => {
  test('for vouchers count together, also for codes that nobody has', async () => {
    const guessed = ['', '/qr.png', '/qr.svg'].flatMap((rest) => times(201, `/api/vouchers/WM-0${rest}`));
    expect(await statuses(guessed, '203.0.113.2')).toEqual({ 404: 600, 429: 3 });
    expect(await statuses(guessed.slice(0, 1), '203.0.113.3')).toEqual({ 404: 1 });
  });

  test('for the API reference are refused after 60, and again possible after a second', async () => {
    expect(await statuses(times(62, '/openapi.json'), '203.0.113.4')).toEqual({ 200: 60, 429: 2 });
    expect(await statuses(times(1, '/openapi.json'), '203.0.113.5')).toEqual({ 200: 1 });
    service.clock.advance(1_000);
    expect(await statuses(times(2, '/openapi-operators.json'), '203.0.113.4')).toEqual({ 200: 1, 429: 1 });
  });

  test('in one IPv6 network are those of one address', async () => {
    expect(await statuses(times(60, '/openapi.json'), '2001:db8::1')).toEqual({ 200: 60 });
    expect(await statuses(times(1, '/openapi.json'), '2001:db8::2')).toEqual({ 429: 1 });
    expect(await statuses(times(1, '/openapi.json'), '2001:db8:0:1::2')).toEqual({ 200: 1 });
  });
});
