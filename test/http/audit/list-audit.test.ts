import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readStream } from '../../../src/application/ops/read-stream.ts';
import { mayCall, ROLES } from '../../../src/domain/operator/roles.ts';
import { createOperator } from '../../support/operators.ts';
import { openService, type Service, TOMORROW } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';

type Page = AnswerOf<'get /api/ops/audit'>;
type Entry = Page['items'][number];

const MINUTE_MS = 60_000;

let service: Service;
let booking: string;
let keyId: string;
let mai: Awaited<ReturnType<typeof createOperator>>;
/** The times of the requests, oldest first. */
const at: string[] = [];
beforeAll(async () => {
  service = await openService();
  mai = await createOperator(service, 'support', 'Mai');
  const headers = { ...service.admin, 'x-request-id': 'audit-test' };
  booking = (await service.book()).data.booking_id;
  await service.documents('bookings');
  const later = async (request: () => Promise<unknown>) => {
    service.clock.advance(MINUTE_MS);
    at.push(new Date(service.clock.nowMs()).toISOString());
    return request();
  };
  await later(() => service.get(`/api/bookings?from=${TOMORROW}`, headers));
  await later(() => service.get('/api/bookings/ada@example.com', headers));
  await later(() => service.post(`/api/bookings/${booking}/cancel`, { reason: 'weather' }, headers));
  await later(() => service.post(`/api/bookings/${booking}/cancel`, { reason: 'rain' }, headers));
  await later(async () => {
    keyId = (await service.createKey({ contact_email: 'owner@example.com' })).id;
  });
  await later(() => service.delete('/api/activities/river-walk', mai.headers));
});
afterAll(() => service.stop());

async function list(query = '', headers = service.admin): Promise<readonly Entry[]> {
  return (await service.get<Page>(`/api/ops/audit${query}`, headers)).data.items;
}

const operations = async (query: string) => (await list(query)).map(({ operation }) => operation);
const since = () => `from=${at[0]}`;

describe('the audit', () => {
  test('says who did what, when, from where, in which request, and what came of it', async () => {
    const entries = await list(`?${since()}&operator=admin`);
    expect(entries.map(({ audit_id: _id, request_id: _request, ...entry }) => entry)).toEqual([
      {
        at: at[4] ?? '',
        kind: 'act',
        by: 'admin',
        role: 'admin',
        venue_id: null,
        operation: 'create_key',
        objects: [keyId],
        fields: ['contact_email', 'name', 'plan'],
        address: '192.0.2.1',
        outcome: { status: 200, code: null },
      },
      {
        at: at[2] ?? '',
        kind: 'act',
        by: 'admin',
        role: 'admin',
        venue_id: null,
        operation: 'cancel_any_booking',
        objects: [booking],
        fields: ['reason'],
        address: '192.0.2.1',
        outcome: { status: 200, code: null },
      },
      {
        at: at[1] ?? '',
        kind: 'guest_read',
        by: 'admin',
        role: 'admin',
        venue_id: null,
        operation: 'get_any_booking',
        objects: [],
        fields: [],
        address: '192.0.2.1',
        outcome: { status: 404, code: 'BOOKING_NOT_FOUND' },
      },
      {
        at: at[0] ?? '',
        kind: 'guest_read',
        by: 'admin',
        role: 'admin',
        venue_id: null,
        operation: 'list_all_bookings',
        objects: [booking],
        fields: ['from'],
        address: '192.0.2.1',
        outcome: { status: 200, code: null },
      },
    ]);
    expect(entries.slice(1).map(({ request_id }) => request_id)).toEqual(['audit-test', 'audit-test', 'audit-test']);
  });

  test('is filtered by person, object, operation and time, alone and together', async () => {
    expect(await operations(`?operator=${mai.id}`)).toEqual(['withdraw_activity']);
    expect(await operations(`?object=${booking}`)).toEqual(['cancel_any_booking', 'list_all_bookings']);
    expect(await operations(`?object=${keyId}`)).toEqual(['create_key']);
    expect(await operations(`?object=${booking}&operation=list_all_bookings&operator=admin`)).toEqual([
      'list_all_bookings',
    ]);
    expect(await operations(`?object=${booking}&operator=${mai.id}`)).toEqual([]);
    expect(await operations(`?operation=create_key&${since()}`)).toEqual(['create_key']);
    expect(await operations(`?from=${at[1]}&to=${at[4]}`)).toEqual(['cancel_any_booking', 'get_any_booking']);
    expect(await operations(`?object=${booking}&from=${at[1]}`)).toEqual(['cancel_any_booking']);
    expect(await operations('?from=2026-11-20&to=2026-11-20')).toEqual([]);
    expect(await operations('?from=2026-11-21&to=2026-11-21&operation=withdraw_activity')).toEqual([
      'withdraw_activity',
    ]);
    expect(await operations('?operator=op_nobody')).toEqual([]);
  });

  test('is paged', async () => {
    const whole = await list();
    for (const filter of ['', `object=${booking}&`]) {
      const pages: Entry[] = [];
      for (let cursor = ''; ; ) {
        const { data } = await service.get<Page>(`/api/ops/audit?${filter}limit=1${cursor}`, service.admin);
        expect(data.items.length).toBe(1);
        pages.push(...data.items);
        if (data.next_cursor === null) break;
        cursor = `&cursor=${data.next_cursor}`;
      }
      expect(pages).toEqual(filter === '' ? [...whole] : [...(await list(`?object=${booking}`))]);
    }
  });

  test('refuses what it does not understand', async () => {
    const refusal = async (query: string) => (await service.get(`/api/ops/audit?${query}`, service.admin)).refusal;
    expect((await refusal('operation=cancel_any_bookin')).error).toContain('did you mean "cancel_any_booking"?');
    expect((await refusal('operation=list_keys')).code).toBe('INVALID_REQUEST');
    expect((await refusal('person=admin')).code).toBe('INVALID_REQUEST');
    expect((await refusal('from=yesterday')).code).toBe('INVALID_DATE');
    expect((await refusal(`from=${at[1]}&to=${at[0]}`)).code).toBe('INVALID_REQUEST');
    expect((await refusal('limit=101')).code).toBe('INVALID_REQUEST');
  });

  test('is for admins only, its streams included', async () => {
    expect((await service.get('/api/ops/audit', service.analyst)).refusal.code).toBe('FORBIDDEN');
    expect((await service.get('/api/ops/audit', service.key)).refusal.code).toBe('MISSING_TOKEN');
    expect(ROLES.filter((role) => mayCall(role, 'list_audit'))).toEqual(['admin']);
    const stream = `audit-${(await list())[0]?.audit_id}`;
    expect((await service.get(`/api/ops/streams/${stream}`, service.admin)).status).toBe(200);
    for (const role of ['support', 'viewer'] as const)
      expect(await readStream(stream, { from: 0, limit: 1 }, role, service.node.stores)).toMatchObject({
        kind: 'refused',
        refusal: { code: 'FORBIDDEN' },
      });
  });

  test('holds nothing of the guest, and an erasure leaves it as it is', async () => {
    const before = await list(`?object=${booking}`);
    await service.post(`/api/bookings/${booking}/erase`, {}, service.admin);
    const [erasure, ...rest] = await list(`?object=${booking}`);
    expect([erasure?.operation, rest]).toEqual(['erase_guest', [...before]]);
    expect(JSON.stringify(await list())).not.toMatch(/\bada\b|Lovelace|owner@/i);
  });

  test('is the same after a restart', async () => {
    const before = await list();
    await service.restart();
    expect(await list()).toEqual([...before]);
  });
});
