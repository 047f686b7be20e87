import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openService, type Service } from '../../support/service.ts';

const AS_BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('with pages', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService();
  });
  afterAll(() => service.stop());

  test('/ is a page for browsers, and names the documents for programs', async () => {
    const page = await service.send('/', { headers: AS_BROWSER });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const { data } = await service.get<Readonly<Record<string, string>>>('/');
    expect(data).toMatchObject({ name: 'Waymark' });
    const { name: _name, version: _version, ...links } = data;
    const paths = Object.entries(links).map(([of, link]) => [of, new URL(link).pathname]);
    expect(paths).toEqual([
      ['guide', '/llms.txt'],
      ['openapi', '/openapi.json'],
      ['openapi_operators', '/openapi-operators.json'],
      ['reference', '/docs'],
      ['mcp', '/mcp'],
      ['dashboard', '/dashboard'],
    ]);
  });

  test.each([AS_BROWSER, { accept: 'application/json' }])('/ is not sent again to who has it: %p', async (headers) => {
    const first = await service.send('/', { headers });
    const etag = first.headers.get('etag') ?? '';
    const again = await service.send('/', { headers: { ...headers, 'if-none-match': etag } });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
  });

  test('each address of the dashboard is the same page, which loads only files of this service', async () => {
    const first = await service.send('/dashboard', { headers: AS_BROWSER });
    const second = await service.send('/dashboard/bookings/bk_1?tab=timeline', { headers: AS_BROWSER });
    const html = await first.text();
    expect(await second.text()).toBe(html);
    expect(html).toContain('If this text stays, load the page again.');
    expect(first.headers.get('content-security-policy')).toContain("script-src 'self';");
    const files = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path]) => path ?? '');
    expect(files.map((file) => file.replace(/^.*\./, '')).toSorted()).toEqual(['css', 'js', 'svg']);
    for (const path of files) {
      const file = await service.send(path);
      expect([path, file.status, file.headers.get('cache-control')]).toEqual([
        path,
        200,
        'public, max-age=31536000, immutable',
      ]);
    }
  });

  test('a file of an earlier release is NOT_FOUND, and the error says what to do', async () => {
    const { refusal } = await service.get('/assets/main.00000000.js');
    expect(refusal).toMatchObject({ code: 'NOT_FOUND', error: expect.stringContaining('load the page again') });
  });

  test('a dashboard page takes GET only', async () => {
    const { refusal, headers } = await service.post('/dashboard/keys', {}, service.admin);
    expect([refusal.code, headers.get('allow')]).toEqual(['METHOD_NOT_ALLOWED', 'GET']);
  });
});

test('WAYMARK_PAGES=off leaves the API, and no page', async () => {
  await using service = await openService({ settings: { WAYMARK_PAGES: 'off' } });
  expect((await service.get('/dashboard')).refusal.code).toBe('NOT_FOUND');
  const index = await service.send('/', { headers: AS_BROWSER });
  expect(index.headers.get('content-type')).toContain('application/json');
  expect(await index.text()).not.toContain('dashboard');
  expect((await service.get('/api/health', service.key)).data).toMatchObject({ status: 'ok' });
  // Voucher pages belong to the API, with their saved copies and pictures.
  const { voucher } = (await service.book()).data;
  expect((await service.send(`/api/vouchers/${voucher.code}`)).status).toBe(200);
  expect((await service.send('/api/vouchers/worker.js')).status).toBe(200);
  expect((await service.send('/pictures/river-walk.svg')).status).toBe(200);
});
