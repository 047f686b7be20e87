import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { PNG } from 'pngjs';
import { CATEGORIES } from '../../../src/domain/activity/vocabulary.ts';
import { openService, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> => service.send(path, { headers });

describe('the picture of an activity', () => {
  test('as PNG has 1200 × 800 pixels and many colours, and is kept by caches for a day', async () => {
    const answer = await get('/pictures/sea-tunnel.png');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=86400');
    const { width, height, data } = PNG.sync.read(Buffer.from(await answer.arrayBuffer()));
    expect([width, height]).toEqual([1200, 800]);
    const colours = new Set(Array.from({ length: 4_000 }, (_, index) => data.readUInt32BE(index * 960)));
    expect(colours.size).toBeGreaterThan(50);
  });

  test('as SVG is one image, compressed for who takes that', async () => {
    const answer = await get('/pictures/sea-tunnel.svg');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    const svg = await answer.text();
    expect(svg).toStartWith('<svg ');
    const zipped = await get('/pictures/sea-tunnel.svg', { 'accept-encoding': 'gzip' });
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    expect(new TextDecoder().decode(Bun.gunzipSync(await zipped.arrayBuffer()))).toBe(svg);
  });

  test.each(['svg', 'png'])('as %s is not sent again to who has it', async (format) => {
    const path = `/pictures/sea-tunnel.${format}`;
    const etag = (await get(path)).headers.get('etag') ?? '';
    const again = await get(path, { 'if-none-match': etag });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
  });

  test('is drawn once for all who ask at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => get('/pictures/sea-tunnel.png')));
    const bodies = await Promise.all(answers.map((answer) => answer.arrayBuffer()));
    expect(new Set(bodies.map((body) => Bun.hash(body))).size).toBe(1);
  });

  test.each(['nowhere.png', 'sea-tunnel.gif', 'sea-tunnel', 'spa.svg', '%00.svg', '..%2Fspa.svg'])(
    '%s does not exist',
    async (file) => {
      expect((await service.get(`/pictures/${file}`)).refusal).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    },
  );
});

test('each category has a picture, and nothing else has', async () => {
  const statuses = await Promise.all(
    CATEGORIES.map(async (category) => (await get(`/pictures/category/${category}.svg`)).status),
  );
  expect(statuses).toEqual(CATEGORIES.map(() => 200));
  expect((await get('/pictures/category/other.svg')).status).toBe(404);
});

test('one address may ask for 600 pictures in a row', async () => {
  service.peer = '203.0.113.20';
  const etag = (await get('/pictures/sea-tunnel.svg')).headers.get('etag') ?? '';
  for (let count = 1; count < 600; count++) await get('/pictures/sea-tunnel.svg', { 'if-none-match': etag });
  expect((await service.get('/pictures/sea-tunnel.svg')).refusal).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
  service.peer = '192.0.2.1';
});

describe('images', () => {
  test('of recommend and of the activity are the drawn picture, until the activity has a photograph', async () => {
    const recommended = async () => {
      const { data } = await service.recommend();
      return data.recommendations.find(({ id }) => id === 'river-walk')?.images;
    };
    const details = async () =>
      (await service.get<{ images: string[] }>('/api/b2a/activities/river-walk', service.key)).data.images;
    const drawn = ['http://localhost/pictures/river-walk.png'];
    expect([await recommended(), await details()]).toEqual([drawn, drawn]);
    const photographs = ['https://venue.example/river.jpg'];
    const path = '/api/activities/river-walk';
    const { data } = await service.get<Record<string, unknown>>(path, service.admin);
    expect(data['images']).toEqual([]);
    const { listed: _, revision: __, updated_at: ___, override: ____, ...entry } = data;
    expect((await service.put(path, { ...entry, images: photographs }, service.admin)).status).toBe(200);
    expect([await recommended(), await details()]).toEqual([photographs, photographs]);
  });
});
