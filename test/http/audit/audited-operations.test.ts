import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  auditOf,
  auditOfDevices,
  mayCall,
  OPERATIONS,
  type OperatorOperation,
  ROLES,
} from '../../../src/domain/operator/roles.ts';
import { accessesOf } from '../../../src/http/admission.ts';
import { createApp } from '../../../src/http/app.ts';
import { describedRoutes } from '../../../src/http/reference/described-routes.ts';
import type { StoredEvent } from '../../../src/ports/event-store.ts';
import { type Service, TODAY } from '../../support/service.ts';
import { MARKERS, openWithCallers } from '../callers/callers.ts';
import { MARKERS_OF_GUEST, type Row, rowsFor } from '../callers/rows.ts';

const NAMES = Object.keys(OPERATIONS) as readonly OperatorOperation[];
/** Not from the table: the operations of operators whose answers have fields of guests, and that change nothing. */
const SHOW_GUESTS = ['export_guest', 'get_any_booking', 'get_delivery', 'list_all_bookings'];

const DECISION = { path: { reader: 'claim-reaper' }, body: { item: 'none', reason: 'A mistake.' } };
/** Of operations whose row is refused before the handler. */
const VALID: Readonly<Record<string, Row>> = { retry_parked: DECISION, skip_parked: DECISION };

let service: Service;
let rows: Readonly<Record<string, readonly Row[]>>;
let routes: ReturnType<typeof describedRoutes>;
let voucherCode: string;
beforeAll(async () => {
  const opened = await openWithCallers();
  service = opened.service;
  voucherCode = opened.owned.voucher_code;
  rows = Object.assign({}, ...Object.values(rowsFor(opened.owned)));
  routes = describedRoutes(createApp(service.node.context).routes);
});
afterAll(() => service.stop());

async function callWith(operation: string, row: Row, credentials: object, requestId: string) {
  const route = routes.find(({ operationId }) => operationId === operation);
  if (route === undefined) throw new Error(`${operation} has no route`);
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => row.path?.[name] ?? 'x');
  const query = row.query === undefined ? '' : `?${new URLSearchParams(row.query).toString()}`;
  const response = await service.send(`${path}${query}`, {
    method: route.method,
    headers: { 'content-type': 'application/json', 'x-request-id': requestId, ...credentials },
    ...(route.method === 'GET' ? {} : { body: JSON.stringify(row.body ?? {}) }),
  });
  return { route, status: response.status, text: await response.text() };
}

/** Calls an operation as its first row says. @returns the status, and the events that the request caused, in order */
async function calledAs(operation: string, credentials: object, requestId: string) {
  const row = VALID[operation] ?? rows[operation]?.[0];
  if (row === undefined) throw new Error(`${operation} has no row`);
  const { route, status } = await callWith(operation, row, credentials, requestId);
  const caused = (await service.events()).filter(({ cause }) => cause.correlationId === requestId);
  const named = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => row.path?.[name ?? ''] ?? 'x');
  return { status, row, named, caused, audited: caused.filter(({ stream }) => stream.startsWith('audit-')) };
}

const typesOf = (events: readonly StoredEvent[]) => events.map(({ type }) => type);

// First, before other tests erase the guest.
test('every operation whose answer shows a guest is audited', async () => {
  const gets = new Set(routes.filter(({ method }) => method === 'GET').map(({ operationId }) => operationId));
  const showing = new Set<string>();
  for (const operation of NAMES)
    for (const row of rows[operation] ?? []) {
      if (!gets.has(operation)) continue;
      const { text } = await callWith(operation, row, service.admin, `showing-${operation}`);
      const shown = [...MARKERS_OF_GUEST, voucherCode].some((marker) => text.includes(marker));
      if (shown) showing.add(operation);
    }
  expect([...showing].filter((operation) => auditOf(operation, 'admin') !== 'guest read')).toEqual([]);
  expect([...showing]).toEqual(expect.arrayContaining(SHOW_GUESTS));
});

describe.each(NAMES)('%s', (operation) => {
  const { audited: audit } = OPERATIONS[operation];

  test(`is recorded as ${audit ?? 'nothing'}`, async () => {
    const { status, row, named, caused, audited } = await calledAs(operation, service.admin, `admin-${operation}`);
    if (audit === null) return expect(audited).toEqual([]);
    const [first] = audited;
    expect(first?.data).toMatchObject({
      caller: { kind: 'operator', id: 'admin', role: 'admin' },
      operation,
      fields: Object.keys({ ...row.body, ...row.query }).toSorted(),
      address: '192.0.2.1',
      at: first?.cause.at,
    });
    const { objects = [] } = (first?.data ?? {}) as { readonly objects?: readonly string[] };
    expect(objects).toEqual(expect.arrayContaining(named));
    expect([first?.cause.by, first?.stream.startsWith('audit-aud_')]).toEqual(['admin', true]);
    expect(audited.at(-1)?.data).toMatchObject({ operation, status });
    if (audit === 'guest read') expect(typesOf(audited)).toEqual(['GuestDataRead.v1']);
    else
      expect([typesOf(caused)[0], ...typesOf(audited)]).toEqual([
        'ActRequested.v1',
        'ActRequested.v1',
        'ActAnswered.v1',
      ]);
  });

  test('is recorded with the role of the caller, and not for a role that may not call it', async () => {
    const { status, audited } = await calledAs(operation, service.analyst, `analyst-${operation}`);
    const expected = mayCall('analyst', operation) && audit === 'act' ? ['ActRequested.v1', 'ActAnswered.v1'] : [];
    expect(typesOf(audited)).toEqual(expected);
    if (expected.length > 0) expect(audited[0]?.data).toMatchObject({ caller: { id: 'analyst', role: 'analyst' } });
    expect(status === 403).toBe(!mayCall('analyst', operation));
  });
});

test('everything that changes something is audited, and every operation has a row', () => {
  const operated = routes.filter(({ access }) => accessesOf(access).some(({ by }) => by === 'operator'));
  const changing = operated.filter(({ method, operationId }) => method !== 'GET' && operationId !== 'evaluate_model');
  expect(changing.length).toBeGreaterThan(20);
  expect(changing.filter(({ operationId }) => auditOf(operationId, 'admin') !== 'act')).toEqual([]);
  expect(operated.map(({ operationId }) => operationId).toSorted()).toEqual(NAMES.toSorted());
});

test('a gate device that lists guests is recorded, with its venue and the date of the list', async () => {
  const { status, audited } = await calledAs('list_arrivals', service.gates.pier, 'arrivals');
  expect([status, typesOf(audited)]).toEqual([200, ['GuestDataRead.v1']]);
  expect(audited[0]?.data).toMatchObject({
    caller: { kind: 'device', id: audited[0]?.cause.by, venueId: 'old-pier' },
    operation: 'list_arrivals',
    objects: ['old-pier', TODAY],
  });
});

test('a role that sees no data of guests reads none', () => {
  expect(ROLES.map((role) => [role, auditOf('get_any_booking', role)])).toEqual([
    ['admin', 'guest read'],
    ['support', 'guest read'],
    ['analyst', null],
    ['viewer', null],
  ]);
  expect([auditOfDevices('list_arrivals'), auditOfDevices('verify_voucher'), auditOf('recommend', 'admin')]).toEqual([
    'guest read',
    null,
    null,
  ]);
});

test('the audit holds no text of guests or callers, no voucher code and no token', async () => {
  const { adminToken, analystToken } = service.node.secrets;
  const texts = [...MARKERS, voucherCode, adminToken, analystToken, 'Renamed', 'Scripted.', 'A mistake.'];
  const events = (await service.events()).filter(({ stream }) => stream.startsWith('audit-'));
  const stored = JSON.stringify([events, await service.documents('audit')]);
  expect(events.length).toBeGreaterThan(NAMES.length / 2);
  expect(texts.filter((text) => stored.includes(text))).toEqual([]);
});

test('a rebuild makes the same documents', async () => {
  const before = await service.documents('audit');
  expect(await service.rebuild('audit')).toMatchObject({ kind: 'rebuilt', differences: 0 });
  expect(await service.documents('audit')).toEqual([...before]);
});
