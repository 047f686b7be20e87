import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { ready, type Service, startProgram } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { PLAN } from './dying/mortal-store.ts';
import { type PlaceState, stateAt } from './dying/place-state.ts';
import { type Place, type Sent, WAYS } from './dying/ways.ts';
import { auditLeaks } from './kill/audit.ts';
import { VENUE, writeCatalogue } from './kill/catalogue.ts';
import { leftIn } from './kill/embedded.ts';
import { eventually } from './kill/real-time.ts';
import { autopsy, everyEvent } from './kill/stopped.ts';
import { send } from './kill/wire.ts';

const NOW = Date.parse('2026-11-21T03:00:00Z');
const CLAIM_MS = 60_000;
const HOLD_MS = 600_000;
const REAPER_MS = 100;
/** Longest wait for another process. */
const PATIENCE_MS = 20_000;
/** Each case books two dates of its own. */
const DAYS = 2;

/** When the request is repeated. `never`: no process dies. `reaped`: after the reaper has released its claims. */
type Again = 'never' | 'at once' | 'reaped';
type Case = {
  readonly name: string;
  readonly after: number;
  readonly again: Again;
  readonly way: (typeof WAYS)[number];
};
const CASES: readonly Case[] = WAYS.flatMap((way): readonly Case[] => [
  { name: way.name, after: way.appends, again: 'never', way },
  ...Array.from({ length: way.appends }, (_, index) => index + 1).flatMap((after): readonly Case[] => [
    { name: way.name, after, again: 'at once', way },
    { name: way.name, after, again: 'reaped', way },
  ]),
]);

/** The result of a case: the first answer, the answer after the crash, and the final state. */
type Outcome = { answer: string; state: PlaceState };

const directory = temporaryDirectory();
const [data, catalogue] = [directory.file('data'), directory.file('catalogue')];
const [clock, plan] = [directory.file('now'), directory.file('plan')];
const sale = writeCatalogue(catalogue, NOW);
const outcomes = new Map<Case, Outcome>();
const leaks: { readonly reaped: readonly string[]; readonly end: readonly string[] }[] = [];
/** The streams that each request wrote to, by request id; of an audited act, its outcome counts as another one. */
const written = new Map<string, Set<string>>();
/** The events of the audit, by request id. */
const audited = new Map<string, string[]>();
let faults: readonly string[] = [];
let answered: readonly string[] = [];
let elapsedMs = 0;

beforeAll(play, 6 * PATIENCE_MS);
afterAll(() => directory.remove());

/** One process dies during all requests, each after its number of appends; another one follows. */
async function play(): Promise<void> {
  time(0);
  const requests = new Map<Case, Sent>();
  const callers = { key: '', gate: '' };
  {
    await using service = await begin();
    Object.assign(callers, await enrol(service));
    for (const each of CASES) requests.set(each, await prepare(each, service, callers));
    for (const each of CASES.filter(({ again }) => again === 'never'))
      await sendAgain(each, requests, service, callers);
    const dying = CASES.filter(({ again }) => again !== 'never');
    writeFileSync(plan, JSON.stringify(Object.fromEntries(dying.map((each) => [nameOf(each), each.after]))));
    const answers = dying.map(async (each) => `${nameOf(each)}: ${await ask(each, requests, service, callers)}`);
    await service.program.ended();
    answered = (await Promise.all(answers)).filter((answer) => !answer.endsWith(': none'));
    rmSync(plan);
  }
  await using service = await begin();
  const of = (again: Again) => CASES.filter((each) => each.again === again);
  for (const each of of('at once')) await sendAgain(each, requests, service, callers);
  time(CLAIM_MS);
  // Holds still stand, and no other request was repeated.
  const reaped = await leaksOnceIdle((leak) => !leak.startsWith('hd_'));
  for (const each of of('reaped')) await sendAgain(each, requests, service, callers);
  time(2 * CLAIM_MS + HOLD_MS);
  leaks.push({ reaped, end: await leaksOnceIdle(() => true) });
  await service.program.kill();
  await using left = leftIn(data);
  const found = await autopsy(left);
  faults = found.faults;
  // Events of process managers are not the request's own.
  for (const { cause, stream, type } of await everyEvent(left.store)) {
    const { correlationId: name } = cause;
    if (!/^(?:Voucher|Notice)Mail/.test(type) && !stream.startsWith('delivery-'))
      written.set(
        name,
        (written.get(name) ?? new Set()).add(type.startsWith('ActAnswered.') ? `${stream} end` : stream),
      );
    if (stream.startsWith('audit-')) audited.set(name, [...(audited.get(name) ?? []), type]);
  }
  for (const each of CASES) {
    const outcome = outcomes.get(each);
    if (outcome !== undefined) outcome.state = stateAt(placeOf(each), found.history);
  }
}

async function begin(): Promise<Service> {
  const settings = {
    DATA_DIR: data,
    CATALOGUE_DIR: catalogue,
    PORT: '0',
    MAIL_WAIT_MS: '0',
    REAPER_INTERVAL_MS: String(REAPER_MS),
    CLAIM_DEADLINE_MS: String(CLAIM_MS),
    WAYMARK_TEST_CLOCK: clock,
    BUN_OPTIONS: '--preload=./test/chaos/dying/preload.ts',
    [PLAN]: plan,
  };
  return ready(startProgram(['serve'], settings), settings);
}

type Callers = { readonly key: string; readonly gate: string };

async function enrol({ url, adminToken }: Service): Promise<Callers> {
  const operator = { authorization: `Bearer ${adminToken}` };
  const key = await send<{ key: string }>(`${url}/api/keys`, operator, { name: 'All', plan: 'enterprise' });
  const gate = await send<{ device_key: string }>(`${url}/api/venues/${VENUE}/devices`, operator, { name: 'Gate' });
  if (key.kind !== 'done' || gate.kind !== 'done') throw new Error('nobody is let in');
  return { key: key.data.key, gate: gate.data.device_key };
}

async function prepare(each: Case, service: Service, callers: Callers): Promise<Sent> {
  let count = 0;
  return each.way.begin(placeOf(each), async <Data>(sent: Sent) => {
    const answer = await deliver<Data>(sent, `${nameOf(each)}-before-${++count}`, service, callers);
    if (answer.kind !== 'done') throw new Error(`${nameOf(each)} was not prepared: ${JSON.stringify(answer)}`);
    return answer.data;
  });
}

async function sendAgain(each: Case, requests: ReadonlyMap<Case, Sent>, service: Service, callers: Callers) {
  const answer = await ask(each, requests, service, callers);
  outcomes.set(each, { answer, state: { bookings: [], taken: [] } });
}

async function ask(each: Case, requests: ReadonlyMap<Case, Sent>, service: Service, callers: Callers): Promise<string> {
  const sent = requests.get(each);
  if (sent === undefined) throw new Error(`${nameOf(each)} was not prepared`);
  const answer = await deliver<{ readonly status?: string }>(sent, nameOf(each), service, callers);
  if (answer.kind === 'done') return `done ${answer.data.status ?? ''}`;
  return answer.kind === 'refused' ? `${answer.code}: ${answer.error}` : 'none';
}

/** The name of a request is its id and its Idempotency-Key. */
function deliver<Data>({ method, path, as, body }: Sent, name: string, { url, adminToken }: Service, callers: Callers) {
  const caller = {
    key: { 'x-api-key': callers.key },
    operator: { authorization: `Bearer ${adminToken}` },
    gate: { 'x-device-key': callers.gate },
  }[as];
  const headers = { ...caller, 'idempotency-key': name, 'x-request-id': name };
  return method === 'DELETE'
    ? send<Data>(`${url}${path}`, headers, null, 'DELETE')
    : send<Data>(`${url}${path}`, headers, body);
}

function nameOf(each: Case): string {
  return `case-${CASES.indexOf(each)}`;
}

function placeOf(each: Case): Place {
  const number = CASES.indexOf(each);
  return { sale, days: 3 + DAYS * number, guest: `quetzal-${String(number).padStart(6, '0')}` };
}

/** Sets the clock to a time after the start; never back. */
function time(afterMs: number): void {
  elapsedMs = Math.max(elapsedMs, afterMs);
  writeFileSync(clock, String(NOW + elapsedMs));
}

/** The remaining items of a kind when the service is idle, or at the timeout. */
async function leaksOnceIdle(counts: (leak: string) => boolean): Promise<readonly string[]> {
  let found: readonly string[] = ['the log was never read'];
  await eventually(async () => {
    // The reaper runs again after its interval.
    time(elapsedMs + REAPER_MS);
    await using left = leftIn(data);
    const { history, erased } = await autopsy(left);
    found = auditLeaks(history, erased).filter(counts);
    return found.length === 0;
  }, PATIENCE_MS);
  return found;
}

test('the process dies during every request and answers none', () => {
  expect(answered).toEqual([]);
  expect(existsSync(plan)).toBe(false);
});

test('the log holds the appends of the dead process and no others', () => {
  const undisturbed = CASES.filter(({ again }) => again === 'never');
  const counts = undisturbed.map((each) => [each.name, written.get(nameOf(each))?.size]);
  expect(counts).toEqual(WAYS.map(({ name, appends }) => [name, appends]));
});

test('an act of the operator is recorded before it is done; without its outcome if the process died before', () => {
  const acts = CASES.filter((each) => audited.has(nameOf(each)));
  expect(acts.length).toBe(4 + 2 * (4 + 4 + 4 + 3));
  for (const each of acts) {
    const [begun, ended] = ['ActRequested.v1', 'ActAnswered.v1'];
    const died = each.again === 'never' ? [] : each.after === each.way.appends ? [begun, ended] : [begun];
    expect([each, audited.get(nameOf(each))]).toEqual([each, [...died, begun, ended]]);
  }
});

test('the slots of requests that no client repeats are released after their deadlines, and nothing remains', () => {
  expect(leaks).toEqual([{ reaped: [], end: [] }]);
  expect(faults).toEqual([]);
});

describe('another process completes a repeated request as if nothing had happened', () => {
  const dying = CASES.filter(({ again }) => again !== 'never');
  test.each(dying)('$name, $again, after append $after of it', (each) => {
    const undisturbed = CASES.find(({ name, again }) => name === each.name && again === 'never');
    const expected = undisturbed === undefined ? undefined : outcomes.get(undisturbed);
    expect(expected?.answer).toStartWith('done ');
    expect(outcomes.get(each)).toEqual(expected as Outcome);
  });
});
