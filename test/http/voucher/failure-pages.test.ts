import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { LANGUAGES } from '../../../src/domain/activity/vocabulary.ts';
import { StoreUnavailable } from '../../../src/ports/store-unavailable.ts';
import { FAILURE_TEXTS } from '../../../src/vouchers/failure-page-texts.ts';
import { openService, type Service, TODAY } from '../../support/service.ts';

const AS_BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

let service: Service;
beforeAll(async () => {
  service = await openService({ settings: { WAYMARK_SUPPORT_CONTACT: 'https://help.waymark.example/guests' } });
});
afterAll(() => service.stop());

async function headingOf(path: string, language = 'en'): Promise<readonly [number, string | undefined]> {
  const answer = await service.send(path, { headers: { ...AS_BROWSER, 'accept-language': language } });
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer.headers.get('cache-control')).toBe('private, no-store');
  expect(answer.headers.get('content-security-policy')).not.toContain('script-src');
  return [answer.status, /<h1>([^<]*)<\/h1>/.exec(await answer.text())?.[1]];
}

describe('a browser gets a page', () => {
  test.each([
    ['/api/vouchers/WM-0', 404, 'voucher'],
    ['/api/vouchers/WM-0/calendar.ics', 404, 'voucher'],
    ['/api/vouchers/', 404, 'address'],
    ['/api/vouchers', 404, 'address'],
    ['/api/vouchers/WM-0/other', 404, 'address'],
    ['/vouchers', 404, 'address'],
  ] as const)('at %s', async (path, status, reason) => {
    expect(await headingOf(path)).toEqual([status, FAILURE_TEXTS.en[reason].heading]);
  });

  test.each(LANGUAGES.map((language) => [language]))('in its language: %s', async (language) => {
    expect(await headingOf('/api/vouchers/WM-0', `${language},en;q=0.5`)).toEqual([
      404,
      FAILURE_TEXTS[language].voucher.heading,
    ]);
  });

  test('in English if the service has not its language, with the support contact and the request id', async () => {
    const headers = { ...AS_BROWSER, 'accept-language': 'fr', 'x-request-id': 'asked-1' };
    const page = await (await service.send('/api/vouchers/WM-0', { headers })).text();
    expect(page).toContain('<html lang="en">');
    expect(page).toContain('<a href="https://help.waymark.example/guests">help.waymark.example/guests</a>');
    expect(page).toContain('asked-1');
  });

  test('of too many requests, with the time to wait', async () => {
    service.peer = '203.0.113.9';
    for (let count = 0; count < 600; count++) await service.send('/api/vouchers/WM-0');
    const answer = await service.send('/api/vouchers/WM-0', { headers: AS_BROWSER });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await answer.text()).toContain(FAILURE_TEXTS.en.tooMany.heading);
    service.peer = '192.0.2.1';
  });
});

test('a browser gets a page while the event store is unavailable: the voucher is still valid', async () => {
  await using own = await openService();
  const { data } = await own.book({ booking_date: TODAY });
  await own.restart();
  own.node.stores.store.read = () => {
    throw new StoreUnavailable('event store', 'closed');
  };
  const answer = await own.send(`/api/vouchers/${data.voucher.code}`, { headers: AS_BROWSER });
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await answer.text()).toContain(FAILURE_TEXTS.en.unavailable.next);
});

test('the voucher of an erased guest is a page that names nobody', async () => {
  const { data } = await service.book({ booking_date: TODAY });
  await service.verify({ code: data.voucher.code });
  await service.post(`/api/bookings/${data.booking_id}/erase`, {}, service.admin);
  const answer = await service.send(`/api/vouchers/${data.voucher.code}`, { headers: AS_BROWSER });
  expect([answer.status, answer.headers.get('x-voucher-keep-until')]).toEqual([200, null]);
  expect(await answer.text()).not.toContain('Lovelace');
});

describe('everybody else gets JSON', () => {
  test.each([undefined, 'application/json', '*/*'])('who accepts %p', async (accept) => {
    const headers = accept === undefined ? {} : { accept };
    expect((await service.get('/api/vouchers/WM-0', headers)).refusal).toMatchObject({ code: 'VOUCHER_NOT_FOUND' });
    expect((await service.get('/nothing', headers)).refusal).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('who calls the API, whatever it accepts', async () => {
    const answer = await service.send('/api/b2a/activities', { headers: AS_BROWSER });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([401, 'application/json; charset=utf-8']);
  });
});
