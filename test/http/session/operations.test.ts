import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { unaudited } from '../../support/log-of-service.ts';
import { fullReference } from '../../support/reference.ts';
import type { Credentials, Service } from '../../support/service.ts';
import { type SignedIn, signIn } from '../../support/sessions.ts';
import { type Callers, type Kind, MARKERS, openWithCallers, ROLE_OF } from '../callers/callers.ts';
import { type Row, rowsFor } from '../callers/rows.ts';

/** What the owner of a key may call with a session, independent of the table in the code. */
const OF_KEYS: readonly string[] = [
  'own_key',
  'change_own_key',
  'rotate_webhook_secret',
  'finish_webhook_secret_rotation',
  'health',
  'statement',
  'list_bookings',
  'get_booking',
  'event_feed',
  'list_deliveries',
  'get_delivery',
  'resend_delivery',
  'recover_deliveries',
  'replay_events',
  'list_receivers',
  'enable_webhook',
  'test_webhook',
];
/** On a busy machine. */
const OPENING_MS = 120_000;
const WHO: readonly Kind[] = ['owner', 'testKey', ...(Object.keys(ROLE_OF) as (keyof typeof ROLE_OF)[])];

type Operation = {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly schemes: readonly string[];
  readonly rows: readonly Row[];
};

let service: Service;
let callers: Callers;
let operations: readonly Operation[];
let sessions: Readonly<Record<string, SignedIn>>;
beforeAll(async () => {
  const opened = await openWithCallers();
  ({ service, callers } = opened);
  const rows: Readonly<Record<string, readonly Row[]>> = Object.assign({}, ...Object.values(rowsFor(opened.owned)));
  const reference = await fullReference((path) => service.send(path));
  operations = reference.operations.map(({ method, path, operation }) => {
    const alternatives = (operation['security'] ?? []) as readonly object[];
    const id = String(operation['operationId']);
    return { id, method, path, schemes: alternatives.flatMap(Object.keys), rows: rows[id] ?? [] };
  });
  const signedIn: Record<string, SignedIn> = {};
  for (const who of WHO) signedIn[who] = await signIn(service, callers[who]);
  sessions = signedIn;
}, OPENING_MS);
afterAll(() => service.stop());

let requests = 0;

/** The refusal of authentication or role, `admitted` for every other outcome; and which texts of the owner it shows. */
async function ask({ method, path }: Operation, row: Row, headers: Credentials) {
  requests += 1;
  service.peer = `198.18.${requests >> 8}.${requests % 256}`;
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => row.path?.[name] ?? 'x');
  const query = row.query === undefined ? '' : `?${new URLSearchParams(row.query).toString()}`;
  const response = await service.send(`${target}${query}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(method === 'GET' ? {} : { body: JSON.stringify(row.body ?? {}) }),
  });
  const text = await response.text();
  const refused = response.status === 401 || response.status === 403;
  const outcome = refused ? (JSON.parse(text) as { code: string }).code : 'admitted';
  return { outcome, shows: method === 'GET' ? MARKERS.filter((marker) => text.includes(marker)) : [], response };
}

function session(who: Kind): SignedIn {
  const signedIn = sessions[who];
  if (signedIn === undefined) throw new Error(`${who} is not signed in`);
  return signedIn;
}

/** The refusal of a session that an operation does not take; null if it does. */
function barred({ id, schemes }: Operation, who: Kind): string | null {
  const isOperator = Object.hasOwn(ROLE_OF, who);
  if (isOperator && schemes.includes('OperatorToken')) return null;
  if (schemes.includes('ApiKey')) return isOperator || !OF_KEYS.includes(id) ? 'MISSING_API_KEY' : null;
  if (schemes.includes('OperatorToken')) return 'MISSING_TOKEN';
  return 'MISSING_DEVICE_KEY';
}

describe.each(WHO)('a session of %s', (who) => {
  const each = (): readonly (readonly [Operation, Row])[] =>
    operations
      .filter(({ schemes }) => schemes.some((scheme) => ['ApiKey', 'DeviceKey', 'OperatorToken'].includes(scheme)))
      .flatMap((operation) => operation.rows.map((row) => [operation, row] as const));

  test('without its token reads what its key or token reads, and writes nothing', async () => {
    const before = (await unaudited(service)).filter(({ stream }) => !stream.startsWith('delivery-')).length;
    for (const [operation, row] of each()) {
      const { outcome, shows, response } = await ask(operation, row, session(who).cookie);
      const no = barred(operation, who);
      if (no !== null) expect([operation.id, outcome, shows]).toEqual([operation.id, no, []]);
      else if (operation.method !== 'GET') expect([operation.id, outcome]).toEqual([operation.id, 'FORBIDDEN']);
      else {
        const byHeader = await ask(operation, row, callers[who]);
        expect([operation.id, outcome, shows]).toEqual([operation.id, byHeader.outcome, byHeader.shows]);
      }
      // Some handlers refuse roles too, after the session was renewed.
      const renewed = no === null && operation.method === 'GET';
      if (outcome === 'admitted' || !renewed)
        expect([operation.id, response.headers.has('set-cookie')]).toEqual([operation.id, renewed]);
    }
    expect((await unaudited(service)).filter(({ stream }) => !stream.startsWith('delivery-')).length).toBe(before);
  });

  test('with its token writes what its key or token writes', async () => {
    for (const [operation, row] of each().filter(([{ method }]) => method !== 'GET')) {
      const { outcome } = await ask(operation, row, session(who).writing);
      const no = barred(operation, who);
      const expected = no ?? (await ask(operation, row, callers[who])).outcome;
      expect([operation.id, outcome]).toEqual([operation.id, expected]);
    }
  });
});

test('every operation of the list exists, and is of API keys', () => {
  const ofKeys = operations.filter(({ schemes }) => schemes.includes('ApiKey')).map(({ id }) => id);
  expect(OF_KEYS.filter((id) => !ofKeys.includes(id))).toEqual([]);
});

test('a session of each kind shows who it is, and signs out', async () => {
  for (const who of WHO) {
    const { cookie, writing, data } = session(who);
    const current = await service.get<typeof data>('/api/sessions/current', cookie);
    expect([current.status, current.data.id]).toEqual([200, data.id]);
    expect((await service.delete('/api/sessions/current', writing)).status).toBe(200);
    expect((await service.get('/api/sessions/current', cookie)).status).toBe(401);
  }
});
