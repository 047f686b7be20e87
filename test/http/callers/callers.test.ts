import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLES, type Role } from '../../../src/domain/operator/roles.ts';
import { fullReference, type Reference } from '../../support/reference.ts';
import type { Service } from '../../support/service.ts';
import { type Callers, KINDS, type Kind, MARKERS, openWithCallers, ROLE_OF } from './callers.ts';
import { type Owned, type Row, rowsFor } from './rows.ts';

type Operation = {
  /** As in `Rows`. */
  readonly by: string;
  readonly method: string;
  readonly path: string;
  readonly schemes: ReadonlySet<string>;
  /** Of keys, or the roles of operators. */
  readonly permissions: readonly string[];
};

/** On a busy machine. */
const OPENING_MS = 120_000;

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
  admin: 'authorization',
  analyst: 'authorization',
  namedAdmin: 'authorization',
  namedAnalyst: 'authorization',
  support: 'authorization',
  viewer: 'authorization',
  revoked: 'authorization',
  rotated: 'authorization',
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
  spare_operator_id: '',
  key_id: '',
  guest_stream: '',
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
  operations = operationsByCaller(await fullReference((path) => service.send(path)));
}, OPENING_MS);
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
      if (!operation.schemes.has('ApiKey') || operation.permissions.length === 0) continue;
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

test('an operator reads what the role sees of the guest, of vouchers and of credentials, and nothing else', async () => {
  const shown = new Map<Role, number>();
  for (const [id, operation] of operations) {
    if (!operation.schemes.has('OperatorToken') || operation.method !== 'GET') continue;
    for (const row of rows[id] ?? []) {
      for (const [kind, role] of OPERATORS) {
        if (!serves(kind, operation)) continue;
        const { outcome, text } = await answerTo(operation, row, callers[kind]);
        const whole: readonly unknown[] = [id, kind, outcome];
        expect(whole).toEqual([id, kind, row.byRole?.[role] ?? '200']);
        if (outcome !== '200') continue;
        const texts = row.shows ?? [];
        if (SEE_THE_GUEST.includes(role)) expect(texts.filter((each) => !text.includes(each))).toEqual([]);
        else {
          const hidden = [...MARKERS, owned.voucher_code, ...texts];
          expect([id, kind, hidden.filter((each) => text.includes(each))]).toEqual([id, kind, []]);
        }
        shown.set(role, (shown.get(role) ?? 0) + texts.length);
      }
    }
  }
  expect([...shown.keys()].sort()).toEqual([...ROLES].sort());
});

test('every operation admits those whom it serves', async () => {
  for (const [id, operation] of operations) {
    for (const row of rows[id] ?? []) {
      const admitted = KINDS.filter((kind) => serves(kind, operation));
      expect(admitted.length > 0, id).toBe(!operation.schemes.has('Session'));
      for (const kind of admitted) {
        const { outcome } = await answerTo(operation, row, callers[kind]);
        const expected = isOperator(kind) ? row.byRole?.[ROLE_OF[kind]] : undefined;
        if (expected === undefined) expect(outcome, `${id} as ${kind}`).not.toMatch(/^40[13]/);
        else expect(outcome, `${id} as ${kind}`).toBe(expected);
      }
    }
  }
});

function operationsByCaller(reference: Reference): ReadonlyMap<string, Operation> {
  return new Map(
    reference.operations.map(({ method, path, operation }) => {
      const security = (operation['security'] ?? []) as readonly Readonly<Record<string, readonly string[]>>[];
      const named = security.flatMap((each) => Object.entries(each));
      const others = named.filter(([scheme]) => scheme !== 'OperatorToken');
      const roles = named.flatMap(([scheme, some]) => (scheme === 'OperatorToken' ? some : []));
      const ofRoles = roles.length === 0 ? [] : [`OperatorToken: ${roles.join(' ')}`];
      const by = [...others.map(([scheme, some]) => [scheme, ...some].join(': ')), ...ofRoles].join(', ');
      const schemes = new Set(named.map(([scheme]) => scheme));
      const permissions = named.flatMap(([, some]) => some);
      return [String(operation['operationId']), { by: by || 'anybody', method, path, schemes, permissions }];
    }),
  );
}

/** The refusal of authentication; null for a caller that comes further. */
function refusalFor(kind: Kind, { schemes, permissions }: Operation): string | null {
  const sends = HEADERS[kind];
  if (schemes.has('ApiKey') && !(schemes.has('OperatorToken') && sends === 'authorization')) {
    if (kind === 'wrong') return '401 INVALID_API_KEY';
    if (sends !== 'x-api-key') return '401 MISSING_API_KEY';
    return kind === 'deactivated' ? '403 KEY_INACTIVE' : null;
  }
  if (schemes.has('DeviceKey')) {
    if (kind === 'wrong' || kind === 'removedGate') return '401 INVALID_DEVICE_KEY';
    if (sends !== 'x-device-key') return '401 MISSING_DEVICE_KEY';
    return kind === 'pausedGate' ? '403 KEY_INACTIVE' : null;
  }
  if (schemes.has('Session')) return '401 MISSING_TOKEN';
  if (schemes.has('OperatorToken')) {
    if (kind === 'wrong' || kind === 'revoked' || kind === 'rotated') return '401 INVALID_TOKEN';
    if (!isOperator(kind)) return '401 MISSING_TOKEN';
    return permissions.includes(ROLE_OF[kind]) ? null : '403 FORBIDDEN';
  }
  return null;
}

/** Not from the table of roles, so that a wrong one differs. */
const SEE_THE_GUEST: readonly Role[] = ['admin', 'support'];

type OperatorKind = keyof typeof ROLE_OF;
const OPERATORS = Object.entries(ROLE_OF) as readonly (readonly [OperatorKind, Role])[];

function isOperator(kind: Kind): kind is OperatorKind {
  return Object.hasOwn(ROLE_OF, kind);
}

/** The callers who are known and own other data, with their outcomes; of an open operation everybody. */
function othersOf({ schemes }: Operation, { other, test: tested, anybody }: Row): readonly (readonly [Kind, string])[] {
  if (schemes.size === 0) return KINDS.map((kind) => [kind, anybody ?? ''] as const);
  if (!schemes.has('ApiKey') && !schemes.has('DeviceKey')) return [];
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
  if (schemes.has('ApiKey') && !(schemes.has('OperatorToken') && isOperator(kind))) return kind === 'owner';
  if (schemes.has('DeviceKey')) return kind === 'gate';
  return refusalFor(kind, operation) === null;
}

let requests = 0;

/** The outcome. The answer to a caller of an operation that is not open must show nothing of the owner. */
async function outcomeOf(operation: Operation, row: Row, credentials: object) {
  const { outcome, text, sent } = await answerTo(operation, row, credentials);
  const markers = [...MARKERS, owned.voucher_code].filter((marker) => !sent.includes(marker));
  if (operation.schemes.size > 0) expect(markers.filter((marker) => text.includes(marker))).toEqual([]);
  return outcome;
}

async function answerTo({ method, path }: Operation, row: Row, credentials: object) {
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
  const code = response.ok ? undefined : (JSON.parse(text) as { readonly code?: string }).code;
  const outcome = code === undefined ? String(response.status) : `${response.status} ${code}`;
  return { outcome, text, sent: `${target}${query}${sent}` };
}

async function eventsOfOwner() {
  return (await service.events())
    .filter(({ stream }) => streams.includes(stream))
    .map(({ stream, type }) => [stream, type]);
}
