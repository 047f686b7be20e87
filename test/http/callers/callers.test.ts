import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Reference } from '../../support/reference.ts';
import type { Service } from '../../support/service.ts';
import { type Callers, KINDS, type Kind, MARKERS, openWithCallers } from './callers.ts';
import { type Owned, type Row, rowsFor } from './rows.ts';

type Json = { readonly [name: string]: unknown };
type Operation = {
  /** As in `Rows`. */
  readonly by: string;
  readonly method: string;
  readonly path: string;
  readonly schemes: ReadonlySet<string>;
  readonly permissions: readonly string[];
};

/** The kinds by the header in which they identify themselves; `wrong` sends all three. */
const HEADERS: Readonly<Record<Kind, 'x-api-key' | 'x-device-key' | 'authorization' | null>> = {
  nobody: null,
  wrong: null,
  owner: 'x-api-key',
  otherKey: 'x-api-key',
  testKey: 'x-api-key',
  deactivated: 'x-api-key',
  gate: 'x-device-key',
  otherGate: 'x-device-key',
  testGate: 'x-device-key',
  pausedGate: 'x-device-key',
  removedGate: 'x-device-key',
  analyst: 'authorization',
  admin: 'authorization',
};
/** For the names of tests, which do not depend on the owner's data. */
const NO_DATA: Owned = {
  booking_id: '',
  hold_id: '',
  delivery_id: '',
  event_id: '',
  log_id: '',
  voucher_code: '',
  spare_key_id: '',
  spare_device_id: '',
  experiment_id: '',
};
const NAMES = Object.values(rowsFor(NO_DATA)).flatMap((group) => Object.keys(group));

let service: Service;
let callers: Callers;
let owned: Owned;
let streams: readonly string[];
let operations: ReadonlyMap<string, Operation>;
let rows: Readonly<Record<string, readonly Row[]>>;
let callersOf: Readonly<Record<string, string>>;
beforeAll(async () => {
  ({ service, callers, owned, streams } = await openWithCallers());
  const groups = Object.entries(rowsFor(owned));
  rows = Object.assign({}, ...groups.map(([, group]) => group));
  callersOf = Object.fromEntries(groups.flatMap(([by, group]) => Object.keys(group).map((id) => [id, by] as const)));
  operations = operationsByCaller(new Reference((await (await service.send('/openapi.json')).json()) as Json));
});
afterAll(() => service.stop());

test('every operation of the API reference is called here, by the callers that the reference names', () => {
  expect(Object.fromEntries([...operations].map(([id, { by }]) => [id, by]))).toEqual(callersOf);
});

describe.each(NAMES)('%s', (id) => {
  const each = (): readonly (readonly [Operation, Row])[] => {
    const operation = operations.get(id);
    if (operation === undefined) throw new Error(`the API reference has no operation ${id}`);
    return (rows[id] ?? []).map((row) => [operation, row] as const);
  };

  test('refuses whom it does not know or serve, before anything else, and stores nothing', async () => {
    const before = (await service.events()).length;
    for (const [operation, row] of each()) {
      for (const kind of KINDS) {
        const expected = refusalFor(kind, operation);
        if (expected !== null) expect([kind, await outcomeOf(operation, row, callers[kind])]).toEqual([kind, expected]);
      }
    }
    expect((await service.events()).length).toBe(before);
  });

  test('needs its permission', async () => {
    for (const [operation, row] of each()) {
      if (operation.permissions.length === 0) continue;
      const caller = await callers.lacking(operation.permissions);
      expect(await outcomeOf(operation, row, caller)).toBe('403 ENDPOINT_NOT_ALLOWED');
    }
  });

  test("shows and changes nothing of the owner's data for another caller", async () => {
    const before = await eventsOfOwner();
    for (const [operation, row] of each()) {
      for (const [kind, expected] of othersOf(operation, row)) {
        expect([kind, await outcomeOf(operation, row, callers[kind])]).toEqual([kind, expected]);
      }
    }
    expect(await eventsOfOwner()).toEqual(before);
  });
});

test('every operation admits those whom it serves', async () => {
  for (const [id, operation] of operations) {
    for (const row of rows[id] ?? []) {
      const admitted = KINDS.filter((kind) => serves(kind, operation));
      expect(admitted, id).not.toEqual([]);
      for (const kind of admitted)
        expect(await outcomeOf(operation, row, callers[kind], false), id).not.toMatch(/^40[13]/);
    }
  }
});

function operationsByCaller(reference: Reference): ReadonlyMap<string, Operation> {
  return new Map(
    reference.operations.map(({ method, path, operation }) => {
      const security = (operation['security'] ?? []) as readonly Readonly<Record<string, readonly string[]>>[];
      const named = security.flatMap((each) => Object.entries(each));
      const by = named.map(([scheme, permissions]) => [scheme, ...permissions].join(': ')).join(', ');
      const schemes = new Set(named.map(([scheme]) => scheme));
      const permissions = named.flatMap(([, some]) => some);
      return [String(operation['operationId']), { by: by || 'anybody', method, path, schemes, permissions }];
    }),
  );
}

/** The refusal of authentication; null for a caller that comes further. */
function refusalFor(kind: Kind, { schemes }: Operation): string | null {
  const sends = HEADERS[kind];
  if (schemes.has('ApiKey')) {
    if (kind === 'wrong') return '401 INVALID_API_KEY';
    if (sends !== 'x-api-key') return '401 MISSING_API_KEY';
    return kind === 'deactivated' ? '403 KEY_INACTIVE' : null;
  }
  if (schemes.has('DeviceKey')) {
    if (kind === 'wrong' || kind === 'removedGate') return '401 INVALID_DEVICE_KEY';
    if (sends !== 'x-device-key') return '401 MISSING_DEVICE_KEY';
    return kind === 'pausedGate' ? '403 KEY_INACTIVE' : null;
  }
  if (schemes.has('AdminToken')) {
    if (kind === 'wrong') return '401 INVALID_TOKEN';
    if (sends !== 'authorization') return '401 MISSING_TOKEN';
    return kind === 'analyst' && !schemes.has('AnalystToken') ? '403 FORBIDDEN' : null;
  }
  return null;
}

/** The callers who are known and own other data, with their outcomes; of an open operation everybody. */
function othersOf({ schemes }: Operation, { other, test: tested, anybody }: Row): readonly (readonly [Kind, string])[] {
  if (schemes.size === 0) return KINDS.map((kind) => [kind, anybody ?? ''] as const);
  if (schemes.has('AdminToken')) return [];
  const [same, tester] = schemes.has('ApiKey')
    ? (['otherKey', 'testKey'] as const)
    : (['otherGate', 'testGate'] as const);
  return [
    [same, other ?? ''],
    [tester, tested ?? other ?? ''],
  ];
}

function serves(kind: Kind, operation: Operation): boolean {
  const { schemes } = operation;
  if (schemes.has('ApiKey')) return kind === 'owner';
  if (schemes.has('DeviceKey')) return kind === 'gate';
  return schemes.has('AdminToken') ? HEADERS[kind] === 'authorization' && refusalFor(kind, operation) === null : true;
}

let requests = 0;

/** @param hidden whether the answer must show nothing of the owner */
async function outcomeOf(
  { method, path, schemes }: Operation,
  row: Row,
  credentials: object,
  hidden = schemes.size > 0,
) {
  requests += 1;
  // Wrong tokens slow down their address.
  service.peer = `198.18.${requests >> 8}.${requests % 256}`;
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => row.path?.[name] ?? 'x');
  const query = row.query === undefined ? '' : `?${new URLSearchParams(row.query).toString()}`;
  const sent = JSON.stringify(row.body ?? {});
  const response = await service.send(`${target}${query}`, {
    method,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...credentials },
    ...(method === 'GET' ? {} : { body: sent }),
  });
  const text = await response.text();
  const markers = [...MARKERS, owned.voucher_code].filter((marker) => !`${target}${query}${sent}`.includes(marker));
  if (hidden) expect(markers.filter((marker) => text.includes(marker))).toEqual([]);
  const code = response.ok ? undefined : (JSON.parse(text) as { readonly code?: string }).code;
  return code === undefined ? String(response.status) : `${response.status} ${code}`;
}

async function eventsOfOwner() {
  return (await service.events())
    .filter(({ stream }) => streams.includes(stream))
    .map(({ stream, type }) => [stream, type]);
}
