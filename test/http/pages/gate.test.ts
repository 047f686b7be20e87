import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { openService, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service[Symbol.asyncDispose]());

const PNG = [0x89, 0x50, 0x4e, 0x47];

describe('the gate', () => {
  test('is a page that may use the camera, and loads only its own files', async () => {
    const page = await service.send('/gate');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('permissions-policy')).toContain('camera=(self)');
    const policy = page.headers.get('content-security-policy') ?? '';
    for (const part of ["default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "worker-src 'self'"])
      expect(policy).toContain(part);
    const html = await page.text();
    const files = [...html.matchAll(/(?:href|src|data-\w+)="([^"]+)"/g)].map(([, path]) => path ?? '');
    expect(files.map((file) => file.replace(/^.*\./, '')).toSorted()).toEqual(
      ['css', 'js', 'js', 'js', 'png', 'svg', 'wasm', 'webmanifest'].toSorted(),
    );
    for (const path of files) {
      const file = await service.send(path);
      const isNamedByContent = !/worker\.js|webmanifest/.test(path);
      expect([path, file.status]).toEqual([path, 200]);
      expect(file.headers.get('cache-control')).toBe(
        isNamedByContent ? 'public, max-age=31536000, immutable' : 'no-cache',
      );
      expect(file.headers.get('content-security-policy')).toBe(policy);
    }
  });

  test('can be installed: its manifest has icons of both sizes, and its worker serves /gate and what the page needs', async () => {
    const manifest = (await (await service.send('/gate/manifest.webmanifest')).json()) as {
      readonly start_url: string;
      readonly display: string;
      readonly icons: readonly { readonly src: string; readonly sizes: string }[];
    };
    expect(manifest).toMatchObject({ start_url: '/gate', display: 'standalone' });
    expect(manifest.icons.map(({ sizes }) => sizes)).toEqual(['any', '192x192', '512x512']);
    for (const { src, sizes } of manifest.icons.slice(1)) {
      const picture = Buffer.from(await (await service.send(src)).arrayBuffer());
      expect([...picture.subarray(0, 4)]).toEqual(PNG);
      expect(`${picture.readUInt32BE(16)}x${picture.readUInt32BE(20)}`).toBe(sizes);
    }
    const worker = await service.send('/gate/worker.js');
    expect(worker.headers.get('service-worker-allowed')).toBe('/gate');
    const script = await worker.text();
    const html = await (await service.send('/gate')).text();
    // With the hash of its content, so that the worker takes no other release's page.
    expect(script).toContain(`"/gate":"sha256-${createHash('sha256').update(html).digest('base64')}"`);
    for (const [, path = ''] of html.matchAll(/(?:href|src|data-decoder|data-wasm)="([^"]+)"/g))
      expect(script).toContain(`"${path}"`);
  });

  test('does not loosen the policy of the dashboard', async () => {
    const { headers } = await service.send('/dashboard');
    expect(headers.get('content-security-policy')).not.toContain('wasm');
  });

  test('a file of an earlier release is NOT_FOUND', async () => {
    expect((await service.get('/gate/main.00000000.js')).refusal.code).toBe('NOT_FOUND');
  });

  test('is linked from the page at /', async () => {
    const page = await service.send('/', { headers: { accept: 'text/html' } });
    expect(await page.text()).toContain('href="/gate"');
  });
});

test('WAYMARK_PAGES=off leaves no gate', async () => {
  await using without = await openService({ settings: { WAYMARK_PAGES: 'off' } });
  for (const path of ['/gate', '/gate/worker.js']) expect((await without.get(path)).refusal.code).toBe('NOT_FOUND');
});
