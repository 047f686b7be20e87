import { describe, expect, test } from 'bun:test';
import { createApp } from '../../../src/http/app.ts';
import { evidenceOf } from '../../support/evidence.ts';
import { AN_EXPERIMENT } from '../../support/experiments.ts';
import { headOf, unaudited } from '../../support/log-of-service.ts';
import { createOperator } from '../../support/operators.ts';
import { checkedByReference } from '../../support/reference.ts';
import { openService, type Service } from '../../support/service.ts';
import { type AnswerOf, readAnswer, refused } from '../../support/service-answers.ts';
import { signIn, signOut } from '../../support/sessions.ts';

const PROJECTIONS = [
  'activities',
  'audit',
  'bookings',
  'conversions',
  'deliveries',
  'devicedays',
  'devices',
  'devicevisits',
  'endedsessions',
  'endpoints',
  'evidence',
  'experimentanswers',
  'experiments',
  'feed',
  'groundtruth',
  'guests',
  'holds',
  'inventory',
  'keys',
  'operators',
  'retention',
  'revocations',
  'statements',
  'testinventory',
  'visits',
];
/** The versions of projections whose documents changed shape; the others have version 1. */
const VERSIONS: Readonly<Record<string, number>> = {
  activities: 3,
  bookings: 10,
  conversions: 5,
  deliveries: 3,
  devices: 3,
  feed: 2,
  groundtruth: 3,
  guests: 2,
  inventory: 3,
  keys: 6,
  statements: 2,
  testinventory: 2,
  visits: 4,
};
const versionOf = (name: string) => VERSIONS[name] ?? 1;
const collectionOf = (name: string, build: number) => `${name}.v${versionOf(name)}.b${build}`;

const CHECKS = ['accepting_requests', 'event_store', 'read_models', 'usage_counters', 'projections_caught_up'];
const READY = Object.fromEntries(CHECKS.map((name) => [name, true]));

type Projections = AnswerOf<'get /api/ops/projections'>;

async function statuses(service: Service): Promise<Projections['items']> {
  return (await service.get<Projections>('/api/ops/projections', service.analyst)).data.items;
}

function startRebuild(service: Service, name: string) {
  return service.post<AnswerOf<'post /api/ops/projections/:name/rebuild'>>(
    `/api/ops/projections/${name}/rebuild`,
    {},
    service.admin,
  );
}

/** Polls the list of projections until no rebuild is running. */
async function rebuilt(service: Service): Promise<Projections['items']> {
  for (;;) {
    const now = await statuses(service);
    if (now.every((status) => status.rebuild === null)) return now;
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

/** Rebuilds projections concurrently, and returns each outcome. */
async function rebuild(service: Service, ...names: readonly string[]): Promise<readonly (object | null)[]> {
  for (const name of names) {
    expect((await startRebuild(service, name)).data).toEqual({ name, rebuild: 'started' });
  }
  const now = await rebuilt(service);
  return names.map((name) => now.find((status) => status.name === name)?.last_rebuild ?? null);
}

describe('a node that runs', () => {
  test('is alive and ready for any caller', async () => {
    await using service = await openService();
    expect((await service.get('/livez')).data).toEqual({ status: 'ok' });
    expect((await service.get('/readyz')).data).toEqual({ status: 'ready', checks: READY });
  });

  test('is ready after a restart once every projection has caught up with the log', async () => {
    await using service = await openService();
    await service.book();
    await service.restart();
    for (const name of PROJECTIONS) await service.documents(name);
    expect((await service.get('/readyz')).data).toEqual({ status: 'ready', checks: READY });
  });

  test('is alive but not ready while it stops, and takes no booking', async () => {
    const service = await openService();
    const { key } = service;
    const app = checkedByReference(createApp(service.node.context));
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
          details: 'reason: stopping. With the same Idempotency-Key a repeated request never books or charges twice.',
        },
      ),
    );
    expect(late.headers.get('retry-after')).toBe('1');
  });
});

describe('the projections', () => {
  test('are listed with their collection and position', async () => {
    await using service = await openService();
    await service.book();
    for (const name of PROJECTIONS) await service.documents(name);
    const head = await headOf(service);
    expect(await statuses(service)).toEqual(
      PROJECTIONS.map((name) => ({
        name,
        version: versionOf(name),
        collection: collectionOf(name, 1),
        position: head,
        head,
        caught_up: true,
        rebuild: null,
        last_rebuild: null,
      })),
    );
  });

  test('that do not exist are NOT_FOUND for a rebuild', async () => {
    await using service = await openService();
    const sentence = `There is no projection "vouchers"; there are ${PROJECTIONS.join(', ')}.`;
    expect((await startRebuild(service, 'vouchers')).refusal).toEqual(refused(404, 'NOT_FOUND', sentence));
  });
});

describe.each(['on', 'off'])('a rebuild, with PROJECTOR_THREAD=%s,', (thread) => {
  const open = () => openService({ settings: { PROJECTOR_THREAD: thread } });
  const NO_DIFFERENCE = { kind: 'rebuilt', differences: 0 };

  test('writes the same documents to new collections', async () => {
    await using service = await open();
    const { booking_id, voucher } = (await service.book({ booking_date: '2026-11-21' })).data;
    await service.book({ activity_id: 'sea-tunnel', num_children: 3 });
    await service.verify({ code: voucher.code });
    await service.post('/api/ops/experiments', AN_EXPERIMENT, service.admin);
    await evidenceOf(service, 1);
    await service.recommend();
    const { id } = await service.createKey();
    await service.post(`/api/keys/${id}/deactivate`, {}, service.admin);
    const { device_id } = await service.createDevice('old-pier');
    await service.delete(`/api/venues/old-pier/devices/${device_id}`, service.admin);
    const { id: revoked } = await createOperator(service, 'support');
    await service.post(`/api/operators/${revoked}/revoke`, {}, service.admin);
    await createOperator(service, 'viewer');
    await signOut(service, await signIn(service, service.key));
    // Each request for a rebuild adds to the audit.
    const names = PROJECTIONS.filter((name) => name !== 'audit');
    const documents = () => Promise.all(names.map((name) => service.documents(name)));
    const collections = async () => (await statuses(service)).map(({ collection }) => collection);

    const before = await documents();
    expect(before.map((each) => each.length)).toEqual([
      11, 2, 4, 0, 1, 3, 1, 1, 0, 1, 1, 1, 3, 1, 2, 0, 2, 2, 2, 2, 0, 4, 0, 1,
    ]);
    expect(await rebuild(service, 'audit')).toMatchObject([NO_DIFFERENCE]);
    expect(await rebuild(service, ...names)).toMatchObject(
      [11, 7, 8, 0, 7, 4, 7, 2, 0, 1, 8, 1, 7, 1, 9, 4, 4, 3, 3, 7, 7, 7, 0, 7].map((events) => ({
        ...NO_DIFFERENCE,
        events,
      })),
    );
    expect(await collections()).toEqual(PROJECTIONS.map((name) => collectionOf(name, 2)));
    expect(await documents()).toEqual(before);

    await service.restart();
    expect(await collections()).toEqual(PROJECTIONS.map((name) => collectionOf(name, 2)));
    expect(await documents()).toEqual(before);
    expect((await service.booking(booking_id)).data.status).toBe('completed');
  });

  test('during bookings lets a query with X-Position see each booking', async () => {
    await using service = await open();
    for (let sold = 1; sold < 40; sold++) {
      if (sold % 8 === 0) await startRebuild(service, 'inventory');
      const { headers } = await service.book({ activity_id: 'sea-tunnel', num_adults: 1 });
      const position = { 'x-position': headers.get('x-position') ?? '' };
      const { data } = await service.inventory('activity_id=sea-tunnel&date=2026-11-22', position);
      expect(data.inventory.map((item) => item.available_slots)).toEqual([40 - sold]);
    }
    expect((await rebuilt(service)).find(({ name }) => name === 'inventory')?.last_rebuild).toMatchObject(
      NO_DIFFERENCE,
    );
  });

  test('during concurrent bookings loses none', async () => {
    await using service = await open();
    const names = ['inventory', 'bookings'];
    for (let day = 10; day < 22; day++) {
      const wish = { activity_id: 'sea-tunnel', booking_date: `2027-01-${day}`, num_adults: 1 };
      const running = rebuild(service, ...names);
      for (let burst = 0; burst < 4; burst++) {
        await Promise.all(Array.from({ length: 10 }, () => service.book(wish)));
      }
      expect(await running).toMatchObject([NO_DIFFERENCE, NO_DIFFERENCE]);
    }
    const after = [await service.documents('inventory'), await service.documents('bookings')];
    expect(after.map((documents) => documents.length)).toEqual([12, 480]);
    for (const { doc } of after[0] ?? []) expect(doc).toMatchObject({ schedule: { capacity: 40 }, taken: 40 });
    await rebuild(service, ...names);
    expect([await service.documents('inventory'), await service.documents('bookings')]).toEqual(after);
  });

  test('that is ahead of the old build knows its own position', async () => {
    await using service = await open();
    await service.documents('inventory');
    await service.book();
    const before = await headOf(service);
    await startRebuild(service, 'inventory');
    const inventory = (await rebuilt(service)).find(({ name }) => name === 'inventory');
    // Process managers may append events of the booking after the rebuild.
    const { position = '', head, caught_up } = inventory ?? {};
    expect([position >= before, caught_up]).toEqual([true, position === head]);
  });

  test('is shown as running from its start', async () => {
    await using service = await open();
    await startRebuild(service, 'inventory');
    const status = (await statuses(service)).find(({ name }) => name === 'inventory');
    expect(status?.rebuild ?? status?.last_rebuild).toEqual(expect.any(Object));
  });

  test('runs once for two concurrent requests', async () => {
    await using service = await open();
    const answers = await Promise.all([startRebuild(service, 'keys'), startRebuild(service, 'keys')]);
    expect(answers.map(({ data }) => data.rebuild)).toEqual(['started', 'running']);
    const keys = (await rebuilt(service)).find(({ name }) => name === 'keys');
    expect(keys).toMatchObject({ collection: 'keys.v6.b2', last_rebuild: NO_DIFFERENCE });
    expect(service.logged.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('of keys and devices keeps every caller authenticated', async () => {
    await using service = await open();
    await rebuild(service, 'keys', 'devices');
    const { code } = (await service.book({ booking_date: '2026-11-21' })).data.voucher;
    expect((await service.verify({ code })).status).toBe(200);
    await service.restart();
    expect((await service.verify({ code })).refusal.code).toBe('VOUCHER_ALREADY_VERIFIED');
  });

  test('writes no event but the audit of its requests', async () => {
    await using service = await open();
    await service.book();
    const before = await unaudited(service);
    await rebuild(service, ...PROJECTIONS);
    expect(await unaudited(service)).toEqual(before);
  });
});
