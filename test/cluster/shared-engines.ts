import { copyFileSync, cpSync, readFileSync, statSync } from 'node:fs';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { openMongoStores } from '../../src/app/mongo-stores.ts';
import type { Role } from '../../src/config.ts';
import type { Random } from '../chaos/kill/random.ts';
import { eventually, pause } from '../chaos/kill/real-time.ts';
import type { Cast, Left, LifeSettings, Stage } from '../chaos/kill/stage.ts';
import { connected } from '../contract/event-store/remote.ts';
import { mongoAddress } from '../contract/mongodb/servers.ts';
import { EventStoreDbPeer } from '../support/eventstoredb-peer.ts';
import { type FerretDb, startFerretDbOn } from '../support/peers/ferretdb.ts';
import type { Program } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ADMIN_TOKEN, type Cluster, type Events, LEASE_MS, listening, startCluster } from './cluster.ts';

/** The roles of the nodes; three of them always serve the API. */
const FORMATIONS = [
  ['api', 'api', 'api', 'projector', 'deliverer'],
  ['all', 'all', 'all'],
] as const satisfies readonly (readonly Part[])[];
type Part = Role | 'all';

/** Maximum time until another node takes over: the lease, the allowed clock skew, and one poll. */
const STAND_IN_MS = LEASE_MS + 2_000 + Math.ceil(LEASE_MS / 3);
const LONGEST_AWAY_MS = 3_000;
/** Maximum time until every node is ready after the engines are back. */
const RECOVERED_MS = 30_000;
/** Once an engine's file has not grown for so long, no write is in flight. */
const QUIET_MS = 100;
const CHECKPOINT_POLL_MS = 20;

/** Several nodes on the EventStoreDB protocol server and FerretDB. */
export async function onSharedEngines(): Promise<Stage> {
  const cluster = await startCluster();
  const { events, documents } = cluster;
  /** Engines that were killed with the nodes. */
  const dead = new Set<Engine>();
  let lives = 0;
  return {
    sale: cluster.sale,
    load: { clients: 16, budget: 300, longBudget: 900, restMs: 100 },
    settings: { RESPONSE_DEADLINE_MS: '1000', CLAIM_DEADLINE_MS: '2000' },
    standInMs: STAND_IN_MS,
    // In turn, so that each formation continues the work of the other.
    begin: (settings) => new Nodes(cluster, FORMATIONS[lives++ % FORMATIONS.length] ?? [], settings, dead),
    nextCheckpoint: (manager, withinMs) => nextCheckpoint(events.url, manager, withinMs),
    async left() {
      const copy = temporaryDirectory();
      const [log, directory] = [copy.file('events.log'), copy.file('documents')];
      await quiet(events);
      for (const engine of [events, documents]) if (!dead.has(engine)) engine.pause();
      copyFileSync(events.data, log);
      cpSync(documents.directory, directory, { recursive: true, filter: (path) => !path.endsWith('.sock') });
      for (const engine of [events, documents])
        if (dead.has(engine)) await engine.restart();
        else engine.resume();
      dead.clear();
      return openCopy(log, directory, () => copy.remove());
    },
    async bytes() {
      await events.scavenge();
      // What a database server keeps of replaced documents is up to it.
      return [{ file: events.data, holdsGuests: true, text: readFileSync(events.data, 'latin1') }];
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

type Engine = Events | FerretDb;
type Place = { readonly part: Part; program: Program; url: string | null };

/** The nodes between two kills. */
class Nodes implements Cast {
  readonly words: Program[] = [];
  readonly #cluster: Cluster;
  readonly #settings: LifeSettings;
  readonly #dead: Set<Engine>;
  readonly #places: readonly Place[];
  #asked = 0;

  constructor(cluster: Cluster, formation: readonly Part[], settings: LifeSettings, dead: Set<Engine>) {
    this.#cluster = cluster;
    this.#settings = settings;
    this.#dead = dead;
    this.#places = formation.map((part) => ({ part, program: this.#begin(part), url: null }));
  }

  async answering() {
    await Promise.all(this.#places.map((place) => this.#listening(place)));
    return { url: () => this.#next(), urls: this.#apis(), adminToken: ADMIN_TOKEN };
  }

  readonly accident = async (random: Random): Promise<string> => {
    const { events, documents } = this.#cluster;
    const kind = random.pick(['a node is killed', 'an engine is killed', 'an engine stands still']);
    const awayMs = random.whole(0, LONGEST_AWAY_MS);
    if (kind === 'a node is killed') await this.#replaceNode(random, awayMs);
    else {
      const engine = random.pick<Engine>([events, documents]);
      if (kind === 'an engine is killed') await engine.kill();
      else engine.pause();
      await pause(awayMs);
      if (kind === 'an engine is killed') await engine.restart();
      else engine.resume();
    }
    let unready: readonly string[] = [];
    const ready = await eventually(async () => {
      const answers = await Promise.all(this.#places.map(({ url }) => fetch(`${url}/readyz`)));
      const said = await Promise.all(answers.map((answer) => answer.text()));
      unready = said.filter((_, index) => answers[index]?.status !== 200);
      return unready.length === 0;
    }, RECOVERED_MS);
    if (!ready) throw new Error(`${RECOVERED_MS} ms after ${kind} some nodes are not ready: ${unready.join(' and ')}`);
    return kind;
  };

  async kill(random: Random): Promise<string> {
    const { events, documents } = this.#cluster;
    const choices = [[], [], [events], [documents], [events, documents]] as const;
    const engines: readonly Engine[] = random.pick<readonly Engine[]>(choices);
    for (const engine of engines) this.#dead.add(engine);
    const victims = [...this.#places.map(({ program }) => program), ...engines];
    const shuffled = victims.map((victim) => ({ victim, place: random.whole(0, 1_000) }));
    shuffled.sort((left, right) => left.place - right.place);
    await Promise.all(shuffled.map(({ victim }) => victim.kill()));
    if (engines.length === 0) return '';
    return `, with ${engines.map((engine) => (engine === events ? 'the event store' : 'the read models')).join(' and ')}`;
  }

  terminate(): Promise<number[]> {
    return Promise.all(this.#places.map(({ program }) => program.terminate()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#places.map(({ program }) => program.kill()));
  }

  #begin(part: Part): Program {
    const program = this.#cluster.begin(part, this.#settings);
    this.words.push(program);
    return program;
  }

  async #listening(place: Place): Promise<void> {
    place.url = (await listening(place.program, place.part)).url;
  }

  async #replaceNode(random: Random, awayMs: number): Promise<void> {
    const place = this.#places[random.whole(0, this.#places.length - 1)];
    if (place === undefined) return;
    place.url = null;
    await place.program.kill();
    await pause(awayMs);
    place.program = this.#begin(place.part);
    await this.#listening(place);
  }

  #apis(): readonly string[] {
    return this.#places.flatMap(({ part, url }) =>
      url === null || part === 'projector' || part === 'deliverer' ? [] : [url],
    );
  }

  #next(): string {
    const urls = this.#apis();
    return urls[this.#asked++ % urls.length] ?? '';
  }
}

async function nextCheckpoint(url: string, manager: string, withinMs: number): Promise<boolean> {
  const store = connected(url);
  const stored = async (): Promise<number> => {
    const read = await store.read(`checkpoint-${manager}`);
    return read.kind === 'events' ? (read.events.at(-1)?.revision ?? -1) : -1;
  };
  try {
    const before = await stored();
    return await eventually(async () => (await stored()) > before, withinMs, CHECKPOINT_POLL_MS);
  } finally {
    await store.close();
  }
}

async function quiet({ data }: Events): Promise<void> {
  for (let before = -1; before !== statSync(data).size; await pause(QUIET_MS)) before = statSync(data).size;
}

async function openCopy(log: string, directory: string, remove: () => void): Promise<Left> {
  const peer = await EventStoreDbPeer.start({ data: log });
  // EventStoreDB removes erased events only when it scavenges.
  await peer.scavenge();
  const server = await startFerretDbOn(directory);
  const store = connected(peer.url);
  const stores = await openMongoStores(mongoAddress(server.url), systemClock);
  return {
    store,
    readModels: stores.readModels,
    async [Symbol.asyncDispose]() {
      await Promise.all([store.close(), stores.close()]);
      await Promise.all([peer.kill(), server.kill()]);
      remove();
    },
  };
}
