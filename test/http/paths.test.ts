import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createApp } from '../../src/http/app.ts';
import { openService, type Service } from '../support/service.ts';
import { readAnswer, refused } from '../support/service-answers.ts';

const BOOK = '/api/b2a/execute_booking';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

const WHERE_PATHS_ARE =
  'GET /llms.txt is a short guide for agents; GET /openapi.json and GET /openapi-operators.json describe every path.';

describe('a path', () => {
  test.each([
    ['/api', 'check the path.'],
    ['/api/b2a', 'check the path.'],
    ['/api/b2a/execute_bookings', 'the nearest path is POST /api/b2a/execute_booking.'],
    ['/api/keys/key_0/renew', 'the nearest path is GET /api/keys/{id}.'],
    ['/livez/x', 'the nearest path is GET /livez.'],
    ['/api/llms.txt', 'the nearest path is GET /llms.txt.'],
  ])('that leads nowhere is NOT_FOUND, and names the nearest route: %s', async (path, advice) => {
    const answer = await service.get(path);
    const refusal = refused(404, 'NOT_FOUND', `There is nothing at ${path}; ${advice}`);
    expect(answer.refusal).toEqual({ ...refusal, details: WHERE_PATHS_ARE });
  });

  test.each([
    ['an unknown path', '/api/b2a/nothing'],
    ['an unknown booking', '/api/b2a/bookings/bk_0'],
    ['an unknown activity', '/api/b2a/activities/nothing'],
    ['an unknown voucher', '/api/vouchers/WM-0'],
  ])('gives a 404 that links to the guide: %s', async (_, path) => {
    const { refusal, headers } = await service.get(path, service.key);
    expect(refusal?.status).toBe(404);
    expect(headers.get('link')).toBe('</llms.txt>; rel="help"');
  });

  test.each([
    ['GET', BOOK, 'POST'],
    ['POST', '/api/b2a/inventory', 'GET'],
    ['PATCH', '/api/b2a/bookings/bk_0', 'GET'],
    ['PUT', '/api/keys', 'GET, POST'],
    ['GET', '/api/keys/key_0/deactivate', 'POST'],
    ['DELETE', '/api/venues/old-pier/devices', 'GET, POST'],
    ['GET', '/api/venues/old-pier/devices/dev_0', 'DELETE'],
    ['GET', '/api/venue/verify', 'POST'],
    ['POST', '/api/vouchers/WM-0/qr.png', 'GET'],
    ['DELETE', '/readyz', 'GET'],
  ])('does not take the wrong method: %s %s', async (method, path, allow) => {
    const answer = await readAnswer(await service.send(path, { method }));
    const instead = allow.replace(', ', ' or ');
    expect(answer.refusal).toEqual({
      ...refused(405, 'METHOD_NOT_ALLOWED', `${method} is not possible at ${path}; use ${instead}.`),
      details: WHERE_PATHS_ARE,
    });
    expect(answer.headers.get('allow')).toBe(allow);
  });

  test('has the same query by HEAD as by GET', async () => {
    const app = createApp(service.node.context);
    const statusOf = async (method: string, query: string): Promise<number> => {
      const url = `http://localhost/api/b2a/inventory?${query}`;
      return (await app.handle(new Request(url, { method, headers: service.key }))).status;
    };
    expect([await statusOf('HEAD', 'city=Bangkok'), await statusOf('GET', 'city=Bangkok')]).toEqual([200, 200]);
    expect([await statusOf('HEAD', 'city=Nowhere'), await statusOf('GET', 'city=Nowhere')]).toEqual([400, 400]);
  });

  test('is found under every host name', async () => {
    for (const name of ['a', 'api', 'localhost', 'waymark.example:8080', '[::1]:3000']) {
      const answer = await createApp(service.node.context).handle(new Request(`http://${name}/livez`));
      expect([name, answer.status]).toEqual([name, 200]);
      const nowhere = await createApp(service.node.context).handle(new Request(`http://${name}/x/livez`));
      expect([name, nowhere.status]).toEqual([name, 404]);
    }
  });

  test('with a broken escape sequence names nothing, and breaks nothing', async () => {
    expect((await service.booking('%zz')).refusal.code).toBe('BOOKING_NOT_FOUND');
    expect((await service.get('/api/vouchers/%E0%A4%A')).refusal.code).toBe('VOUCHER_NOT_FOUND');
  });
});
