import { writeFileSync } from 'node:fs';
import type { EventStore, StoredEvent } from '../../src/ports/event-store.ts';
import { everyEvent } from '../chaos/kill/stopped.ts';
import { connected } from '../contract/event-store/remote.ts';
import type { Request } from '../model/sequences/tested-service.ts';
import { writeServiceCatalogue } from '../support/service-catalogue.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { ADMIN, type Answer, call, type Headers, keyKnownTo, type Sending, until } from './client.ts';
import { type ClusterNode, startCluster } from './cluster.ts';
import { requestIdOf, type Stop, stopLine } from './stopping-store.ts';

/** Saturday, 21 November 2026, ten in the morning in Bangkok and eleven in Bali. */
export const NOW = Date.parse('2026-11-21T03:00:00Z');
export const CLAIM_MS = 60_000;

const SETTINGS = {
  MAIL_WAIT_MS: '0',
  CLAIM_DEADLINE_MS: String(CLAIM_MS),
  ON_REQUEST_HOURS: '720',
  // Clocks move in leaps, which must not end a lease.
  LEASE_TTL_MS: '300000',
};
const STOPPABLE = { BUN_OPTIONS: '--preload=./test/cluster/stopping.ts' };
/** How long a query waits for its read model. */
const FRESHNESS_MS = 2_000;
const KNOWN_MS = 30_000;
const VENUES = ['old-pier', 'rice-terrace'];

/** The clock of a group of nodes. Only the test advances it. */
export type NodeTime = { readonly path: string; nowMs(): number; advance(ms: number): void };

/**
 * Three API nodes (clock `answering`), and a projector and a deliverer (clock `working`), on shared engines, with the
 * catalogue of the HTTP tests.
 */
export type ThreeNodes = AsyncDisposable & {
  readonly apis: readonly [ClusterNode, ClusterNode, ClusterNode];
  readonly answering: NodeTime;
  readonly working: NodeTime;
  /** Resumes all nodes, and sets both clocks to the later of the two. */
  resume(): void;
  /** Sends a request to an API node (0 to 2). Its read models include everything stored before. */
  tell(place: number, request: Request): Promise<Answer>;
  /** Sends a request that stops its node (SIGSTOP). Resolves when the node has stopped. @throws if it answers instead */
  stop(place: number, at: Stop, request: Request): Promise<Stopped>;
  readonly store: EventStore;
  /** Removes erased events from the log. */
  scavenge(): Promise<void>;
  log(): Promise<readonly StoredEvent[]>;
  /** Advances the background nodes' clock until the log has such an event. @throws after KNOWN_MS */
  logged(such: (event: StoredEvent) => boolean): Promise<void>;
};

/** A stopped node. */
export type Stopped = {
  /** Resumes it (SIGCONT). Resolves with the answer to the request. */
  resume(): Promise<Answer>;
};

export async function startThreeNodes(): Promise<ThreeNodes> {
  await using starting = new AsyncDisposableStack();
  const directory = starting.use(temporaryDirectory());
  const catalogue = directory.file('catalogue');
  writeServiceCatalogue(catalogue);
  const [answering, working] = [nodeTime(directory, 'answering'), nodeTime(directory, 'working')];
  const cluster = starting.use(await startCluster({ ...SETTINGS, CATALOGUE_DIR: catalogue }));
  const api = { ...STOPPABLE, WAYMARK_TEST_CLOCK: answering.path };
  const clock = { WAYMARK_TEST_CLOCK: working.path };
  const [one, two, three] = await Promise.all([
    cluster.start('api', api),
    cluster.start('api', api),
    cluster.start('api', api),
    cluster.start('projector', clock),
    cluster.start('deliverer', clock),
  ]);
  const apis = [one, two, three] as const;
  const callers = { key: [await keyKnownTo(apis)], operator: [ADMIN], gate: await gatesAt(apis) };
  const store = starting.adopt(connected(cluster.events.url), (it) => it.close());
  let stops = 0;
  const at = (place: number): ClusterNode => {
    const node = apis[place];
    if (node === undefined) throw new Error(`there is no node ${place}`);
    return node;
  };
  const tell = async (place: number, { method, path, as, body, headers }: Request) => {
    const position = { 'x-position': store.positions.format(await store.head()) };
    let answer: Answer | null = null;
    for (const caller of callers[as]) {
      const sent = { headers: { ...position, ...caller, ...headers } };
      if (method === 'GET') answer = await readFresh(at(place), path, sent);
      else answer = await call(at(place), path, { ...sent, ...(body === null ? { method: 'DELETE' } : { body }) });
      // Each venue has a gate of its own.
      if (answer.code !== 'WRONG_VENUE') return answer;
    }
    throw new Error(`no caller was admitted to ${path}: ${JSON.stringify(answer)}`);
  };
  const started = starting.move();
  return {
    apis,
    answering,
    working,
    resume() {
      for (const { program } of apis) process.kill(program.pid, 'SIGCONT');
      const aheadMs = working.nowMs() - answering.nowMs();
      answering.advance(Math.max(0, aheadMs));
      working.advance(Math.max(0, -aheadMs));
    },
    tell,
    async stop(place, stop, request) {
      const id = requestIdOf(stop, String(++stops));
      const { program } = at(place);
      const answer = tell(place, { ...request, headers: { ...request.headers, 'x-request-id': id } });
      const answered = answer.then(({ status, code }) => `it was answered ${status} ${code}`);
      const stopped = program.stdout.line(new RegExp(`^${stopLine(id)}$`)).then(() => null);
      const instead = await Promise.race([stopped, answered]);
      if (instead !== null)
        throw new Error(`${request.path} did not stop ${stop.when} append ${stop.append}: ${instead}`);
      return {
        resume() {
          process.kill(program.pid, 'SIGCONT');
          return answer;
        },
      };
    },
    store,
    scavenge: () => cluster.events.scavenge(),
    log: () => everyEvent(store),
    logged: async (such) => {
      await until('it is in the log', KNOWN_MS, async () => {
        working.advance(1_000);
        return (await everyEvent(store)).some(such);
      });
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Repeats a query that has waited for its read model for the maximum time: its answer may be stale. */
async function readFresh(node: ClusterNode, path: string, sent: Sending): Promise<Answer> {
  for (;;) {
    const sinceMs = performance.now();
    const answer = await call(node, path, sent);
    if (performance.now() - sinceMs < FRESHNESS_MS) return answer;
  }
}

function nodeTime(directory: TemporaryDirectory, name: string): NodeTime {
  const path = directory.file(`${name}-time`);
  let nowMs = NOW;
  const write = (): void => writeFileSync(path, String(nowMs));
  write();
  return {
    path,
    nowMs: () => nowMs,
    advance(ms) {
      nowMs += ms;
      write();
    },
  };
}

/** Registers a gate device of each venue. On return every node knows them. */
async function gatesAt(nodes: readonly [ClusterNode, ...ClusterNode[]]): Promise<readonly Headers[]> {
  const body = { name: 'Gate' };
  const gates: Headers[] = [];
  for (const venue of VENUES) {
    const made = await call<{ device_key: string }>(nodes[0], `/api/venues/${venue}/devices`, { headers: ADMIN, body });
    gates.push({ 'x-device-key': made.data.device_key });
  }
  const nothing = { code: 'nothing' };
  for (const headers of gates)
    await until('a gate is known to every node', KNOWN_MS, async () => {
      const answers = await Promise.all(
        nodes.map((node) => call(node, '/api/venue/verify', { headers, body: nothing })),
      );
      return answers.every(({ status }) => status === 404);
    });
  return gates;
}
