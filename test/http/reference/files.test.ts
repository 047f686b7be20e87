import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DOCUMENTS } from '../../support/reference.ts';
import { openService, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

describe('the files of the reference', () => {
  test.each([...DOCUMENTS, '/llms.txt', '/docs'])(
    '%s needs no key, is compressed, and is answered with 304 when it is current',
    async (path) => {
      const first = await service.send(path, { headers: { 'accept-encoding': 'gzip' } });
      expect([first.status, first.headers.get('content-encoding')]).toEqual([200, 'gzip']);
      expect(first.headers.get('cache-control')).toBe('no-cache');
      const plain = await (await service.send(path)).text();
      expect(new TextDecoder().decode(Bun.gunzipSync(await first.arrayBuffer()))).toBe(plain);
      const etag = first.headers.get('etag') ?? '';
      for (const known of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
        const again = await service.send(path, { headers: { 'if-none-match': known } });
        expect([again.status, await again.text()]).toEqual([304, '']);
        expect(again.headers.get('etag')).toBe(etag);
      }
      expect((await service.send(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
    },
  );

  test('the page names files that can be cached for ever, and allows nothing of other origins', async () => {
    const page = await service.send('/docs');
    const text = await page.text();
    expect(text).not.toMatch(/https?:/);
    const policy = (page.headers.get('content-security-policy') ?? '').split('; ');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    const files = [...text.matchAll(/"(\/docs\/[^"]+)"/g)].map(([, path = '']) => path);
    expect(files).toHaveLength(5);
    for (const path of files) {
      const file = await service.send(path);
      expect([path, file.status]).toEqual([path, 200]);
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      const hash = new Bun.CryptoHasher('sha256').update(await file.arrayBuffer()).digest('base64url');
      expect(path).toContain(`.${hash.slice(0, 12)}.`);
    }
  });

  test('a file that the page does not name is NOT_FOUND', async () => {
    for (const name of ['swagger-ui.css', '..%2f..%2fpackage.json']) {
      expect((await service.get(`/docs/${name}`)).refusal.code).toBe('NOT_FOUND');
    }
  });

  test('the guide is short', async () => {
    const text = await (await service.send('/llms.txt')).text();
    expect(text).toStartWith('# Waymark\n');
    expect(text.split('\n').length).toBeLessThan(160);
  });
});
