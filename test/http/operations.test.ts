import { describe, expect, test } from 'bun:test';
import { createApp } from '../../src/http/app.ts';
import { openService, type Service } from '../support/service.ts';
import { readAnswer, refused } from '../support/service-answers.ts';

const PROJECTIONS = ['activities', 'bookings', 'devices', 'inventory', 'keys'];

const READY = { accepting_requests: true, projections_caught_up: true };

type Status = {
  readonly name: string;
  readonly version: number;
  readonly collection: string;
  readonly position: string;
  readonly head: string;
  readonly caught_up: boolean;
  readonly rebuild: object | null;
};

async function statuses(service: Service): Promise<readonly Status[]> {
  return (await service.get<{ readonly items: readonly Status[] }>('/api/ops/projections', service.analyst)).data.items;
}

function startRebuild(service: Service, name: string) {
  return service.post<{ readonly name: string; readonly rebuild: string }>(
    `/api/ops/projections/${name}/rebuild`,
    {},
    service.admin,
  );
}

/** Resolves once no rebuild is running, without any time passing on the service's clock. */
async function rebuilt(service: Service): Promise<void> {
  while ((await statuses(service)).some((status) => status.rebuild !== null)) {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** The rebuilds that ended: the projection, and how many documents the new build held differently. */
function reports(service: Service) {
  return service.logged
    .filter(({ happening }) => happening === 'projection rebuilt')
    .map(({ facts }) => `${String(facts['projection'])}: ${String(facts['differences'])}`)
    .toSorted((a, b) => (a < b ? -1 : 1));
}

describe('a node that runs', () => {
  test('is alive and ready, whoever asks', async () => {
    await using service = await openService();
    expect((await service.get('/livez')).data).toEqual({ status: 'ok' });
    expect((await service.get('/readyz')).data).toEqual({ status: 'ready', checks: READY });
  });

  test('is ready after a restart as soon as every projection knows what the log held', async () => {
    await using service = await openService();
    await service.book();
    await service.restart();
    for (const name of PROJECTIONS) await service.documents(name);
    expect((await service.get('/readyz')).data).toEqual({ status: 'ready', checks: READY });
  });

  test('that stops is alive, no longer ready, and takes no booking', async () => {
    const service = await openService();
    const { key } = service;
    const app = createApp(service.node.context);
    await service.stop();
    const ask = async (path: string, init: RequestInit = {}) =>
      readAnswer(await app.handle(new Request(`http://localhost${path}`, init)));

    expect((await ask('/livez')).data).toEqual({ status: 'ok' });
    const notReady = await ask('/readyz');
    const unavailable = { retryable: true, resolution: 'retry_later' } as const;
    expect(notReady.refusal).toEqual(
      refused(503, 'SERVICE_UNAVAILABLE', 'Not ready: accepting_requests.', unavailable),
    );
    expect(notReady.headers.get('retry-after')).toBe('1');

    const body = JSON.stringify({
      activity_id: 'river-walk',
      user_email: 'ada@example.com',
      user_name: 'Ada',
      booking_date: '2026-11-22',
      num_adults: 1,
    });
    const headers = { ...key, 'content-type': 'application/json', 'idempotency-key': 'late' };
    const late = await ask('/api/b2a/execute_booking', { method: 'POST', body, headers });
    expect(late.refusal).toEqual(
      refused(
        503,
        'SERVICE_UNAVAILABLE',
        'The service cannot answer this now; send the same request again after a moment.',
        {
          ...unavailable,
          details:
            'reason: stopping. Where an Idempotency-Key was sent, a repetition with it never books or charges twice.',
        },
      ),
    );
    expect(late.headers.get('retry-after')).toBe('1');
  });
});

describe('the projections', () => {
  test('are shown with their collection, and how far they are', async () => {
    await using service = await openService();
    await service.book();
    for (const name of PROJECTIONS) await service.documents(name);
    const head = await service.node.stores.store.head();
    expect(await statuses(service)).toEqual(
      PROJECTIONS.map((name) => ({
        name,
        version: 1,
        collection: `${name}.v1.b1`,
        position: head,
        head,
        caught_up: true,
        rebuild: null,
      })),
    );
  });

  test('that do not exist cannot be rebuilt', async () => {
    await using service = await openService();
    const sentence = `There is no projection "vouchers"; there are ${PROJECTIONS.join(', ')}.`;
    expect((await startRebuild(service, 'vouchers')).refusal).toEqual(refused(404, 'NOT_FOUND', sentence));
  });
});

describe('a rebuild', () => {
  test('makes the same read models, document by document, into new collections', async () => {
    await using service = await openService();
    const { booking_id, voucher } = (await service.book({ booking_date: '2026-11-21' })).data;
    await service.book({ activity_id: 'sea-tunnel', num_children: 3 });
    await service.verify({ code: voucher.code });
    const { id } = await service.createKey();
    await service.post(`/api/keys/${id}/deactivate`, {}, service.admin);
    const { device_id } = await service.createDevice('old-pier');
    await service.delete(`/api/venues/old-pier/devices/${device_id}`, service.admin);

    const before = await Promise.all(PROJECTIONS.map((name) => service.documents(name)));
    expect(before.map((documents) => documents.length)).toEqual([8, 2, 3, 2, 2]);
    for (const name of PROJECTIONS) {
      expect((await startRebuild(service, name)).data).toEqual({ name, rebuild: 'started' });
    }
    await rebuilt(service);
    expect((await statuses(service)).map(({ collection }) => collection)).toEqual(
      PROJECTIONS.map((name) => `${name}.v1.b2`),
    );
    expect(await Promise.all(PROJECTIONS.map((name) => service.documents(name)))).toEqual(before);
    expect(reports(service)).toEqual(PROJECTIONS.map((name) => `${name}: 0`));

    await service.restart();
    expect((await statuses(service)).map(({ collection }) => collection)).toEqual(
      PROJECTIONS.map((name) => `${name}.v1.b2`),
    );
    expect(await Promise.all(PROJECTIONS.map((name) => service.documents(name)))).toEqual(before);
    expect((await service.booking(booking_id)).data.status).toBe('completed');
  });

  test('while bookings go on loses none, and a query that sends its position back sees each', async () => {
    await using service = await openService();
    const wish = { activity_id: 'sea-tunnel', num_adults: 1 };
    for (let sold = 1; sold <= 40; sold++) {
      if (sold % 8 === 0) for (const name of ['inventory', 'bookings']) await startRebuild(service, name);
      const { headers } = await service.book(wish);
      const position = { 'x-position': headers.get('x-position') ?? '' };
      const answer = await service.inventory('activity_id=sea-tunnel&date=2026-11-22', position);
      const shown = sold < 40 ? answer.data.inventory.map((item) => item.available_slots) : answer.refusal.code;
      expect(shown).toEqual(sold < 40 ? [40 - sold] : 'NO_INVENTORY');
    }
    await rebuilt(service);
    const ended = reports(service);
    expect(ended.length).toBeGreaterThanOrEqual(2);
    for (const report of ended) expect(report).toEndWith(': 0');

    const after = [await service.documents('inventory'), await service.documents('bookings')];
    expect(after.map((documents) => documents.length)).toEqual([1, 40]);
    for (const name of ['inventory', 'bookings']) await startRebuild(service, name);
    await rebuilt(service);
    expect([await service.documents('inventory'), await service.documents('bookings')]).toEqual(after);
  });

  test('that outran the old build knows how far it is', async () => {
    await using service = await openService();
    await service.documents('inventory');
    await service.book();
    await startRebuild(service, 'inventory');
    await rebuilt(service);
    const { position, head, caught_up } = (await statuses(service)).find(({ name }) => name === 'inventory') ?? {};
    expect([position, caught_up]).toEqual([head, true]);
  });

  test('is asked for twice at once and runs once', async () => {
    await using service = await openService();
    const answers = await Promise.all([startRebuild(service, 'keys'), startRebuild(service, 'keys')]);
    expect(answers.map(({ data }) => data.rebuild)).toEqual(['started', 'running']);
    await rebuilt(service);
    expect(reports(service)).toEqual(['keys: 0']);
    expect(service.logged.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('of the keys and devices leaves every caller known', async () => {
    await using service = await openService();
    for (const name of ['keys', 'devices']) await startRebuild(service, name);
    await rebuilt(service);
    const { code } = (await service.book({ booking_date: '2026-11-21' })).data.voucher;
    expect((await service.verify({ code })).status).toBe(200);
    await service.restart();
    expect((await service.verify({ code })).refusal.code).toBe('VOUCHER_ALREADY_VERIFIED');
  });

  test('writes no event', async () => {
    await using service = await openService();
    await service.book();
    const before = await service.events();
    for (const name of PROJECTIONS) await startRebuild(service, name);
    await rebuilt(service);
    expect(await service.events()).toEqual(before);
  });
});
