import { type Node, openNode } from '../../src/app/node.ts';
import { readConfig } from '../../src/config.ts';
import { START } from '../../src/eventsourcing/message.ts';
import type { RebuildOutcome } from '../../src/eventsourcing/projection.ts';
import { createApp } from '../../src/http/app.ts';
import type { HttpContext } from '../../src/http/context.ts';
import type { StoredEvent } from '../../src/ports/event-store.ts';
import type { StoredDocument } from '../../src/ports/read-model-store.ts';
import { type MovedClock, movedClock } from './clock.ts';
import { collectedLog, type LogLine } from './log.ts';
import { heldMailer } from './mails.ts';
import { checkedByReference } from './reference.ts';
import {
  type Answer,
  type Booking,
  type Device,
  type Inventory,
  type Key,
  type Recommendations,
  readAnswer,
  type Visit,
} from './service-answers.ts';
import { writeServiceCatalogue } from './service-catalogue.ts';
import { SERVICE_SETTINGS } from './service-settings.ts';
import { type TemporaryDirectory, temporaryDirectory } from './temporary-directory.ts';

/** Saturday, 21 November 2026, ten in the morning in Bangkok. */
export const NOW = Date.parse('2026-11-21T03:00:00Z');
export const TODAY = '2026-11-21';
export const TOMORROW = '2026-11-22';

/** Headers that authenticate the caller. */
export type Credentials = Readonly<Record<string, string>>;

/** Two adults on the river walk, tomorrow. */
export const A_WISH = {
  activity_id: 'river-walk',
  user_email: 'ada@example.com',
  user_name: 'Ada Lovelace',
  booking_date: TOMORROW,
  num_adults: 2,
};

/** A couple in Bangkok who like culture. */
export const AN_ASKER = {
  user_profile: { travel_type: 'couple', interests: ['cultural'] },
  location: { city: 'Bangkok' },
};
type Wish = Readonly<Record<string, unknown>>;

/** A node with the role `api`. */
type ServingNode = Node & { readonly context: HttpContext };

/** A node with its own directory, behind the router, without a port. Its time stands still until a test moves it. */
export type Service = AsyncDisposable & {
  readonly clock: MovedClock;
  /** The peer address of later requests; null: unknown. */
  peer: string | null;
  readonly directory: string;
  readonly catalogueDirectory: string;
  /** The running node; another one after a restart. */
  readonly node: ServingNode;
  readonly logged: readonly LogLine[];
  readonly admin: Credentials;
  readonly analyst: Credentials;
  /** A key with every permission. */
  readonly key: Credentials;
  /** A gate device of each of the two venues in Bangkok. */
  readonly gates: { readonly pier: Credentials; readonly yard: Credentials };

  /** Sends a request; the path begins with `/`. */
  send(path: string, init?: RequestInit): Promise<Response>;
  get<T = object>(path: string, headers?: Credentials): Promise<Answer<T>>;
  /** Posts JSON with its Content-Length. */
  post<T = object>(path: string, body: unknown, headers?: Credentials): Promise<Answer<T>>;
  patch<T = object>(path: string, body: unknown, headers?: Credentials): Promise<Answer<T>>;
  put<T = object>(path: string, body: unknown, headers?: Credentials): Promise<Answer<T>>;
  delete<T = object>(path: string, headers?: Credentials): Promise<Answer<T>>;

  /** `A_WISH` with a change, booked with `key` and further headers. */
  book(change?: Wish, headers?: Credentials): Promise<Answer<Booking>>;
  booking(id: string, headers?: Credentials): Promise<Answer<Booking>>;
  inventory(query: string, headers?: Credentials): Promise<Answer<Inventory>>;
  /** `AN_ASKER` with a change, with `key` and further headers. */
  recommend(change?: Wish, headers?: Credentials): Promise<Answer<Recommendations>>;
  verify(body: object, headers?: Credentials): Promise<Answer<Visit>>;
  /** By default on the plan without limits. */
  createKey(settings?: object): Promise<Key>;
  createDevice(venueId: string, name?: string): Promise<Device>;

  /** The whole log, oldest first. */
  events(): Promise<readonly StoredEvent[]>;
  /** The read model that serves a projection's queries, once it has passed the log's head; in id order. */
  documents(projection: string): Promise<readonly StoredDocument[]>;

  /** Rebuilds a projection. @returns the outcome */
  rebuild(projection: string): Promise<RebuildOutcome | null>;

  /** Stops the node and opens another one on the same directory. @param between changes the directory */
  restart(between?: () => void): Promise<void>;
  stop(): Promise<void>;
};

export type Opening = {
  readonly startMs?: number;
  readonly settings?: Readonly<Record<string, string>>;
  /** `held`, the default: no mail is sent, and no answer waits for one. `sent`: by the settings. */
  readonly mails?: 'held' | 'sent';
  /** Writes another catalogue than `writeServiceCatalogue`, without `gates`; may fill the data directory beside it, `data`. */
  readonly catalogue?: (directory: string) => void | Promise<void>;
};

/**
 * `settings` are environment variables. The projections run in this thread, so that tests see their log, and no forecast is
 * fetched.
 */
export async function openService(opening: Opening = {}): Promise<Service> {
  const directory = temporaryDirectory();
  const catalogue: NonNullable<Opening['catalogue']> = opening.catalogue ?? writeServiceCatalogue;
  await catalogue(directory.file('catalogue'));
  const service = new RunningService(directory, movedClock(opening.startMs ?? NOW), opening);
  try {
    await service.open();
    await service.enrol(catalogue === writeServiceCatalogue);
  } catch (fault) {
    directory.remove();
    throw fault;
  }
  return service;
}

/** The header with an API key in it. */
export function withKey(value: string): Credentials {
  return { 'x-api-key': value };
}

export function withDevice(value: string): Credentials {
  return { 'x-device-key': value };
}

export function withToken(value: string): Credentials {
  return { authorization: `Bearer ${value}` };
}

class RunningService implements Service {
  readonly clock: MovedClock;
  peer: string | null = '192.0.2.1';
  key: Credentials = {};
  gates: Service['gates'] = { pier: {}, yard: {} };
  #node: ServingNode | null = null;
  #app: ReturnType<typeof checkedByReference> | null = null;
  /** Peer addresses by request; requests within the process have none. */
  readonly #peers = new WeakMap<Request, string | null>();
  readonly #log = collectedLog();
  readonly #temporary: TemporaryDirectory;
  readonly #settings: NonNullable<Opening['settings']>;
  readonly #mails: Opening['mails'];

  constructor(temporary: TemporaryDirectory, clock: MovedClock, { settings = {}, mails }: Opening) {
    this.#temporary = temporary;
    this.clock = clock;
    this.#settings = settings;
    this.#mails = mails;
  }

  get directory(): string {
    return this.#temporary.file('data');
  }

  get catalogueDirectory(): string {
    return this.#temporary.file('catalogue');
  }

  async open(): Promise<void> {
    const directories = { DATA_DIR: this.directory, CATALOGUE_DIR: this.catalogueDirectory };
    const held = this.#mails !== 'sent';
    const here = { ...SERVICE_SETTINGS, ...(held && { MAIL_WAIT_MS: '0' }) };
    const overrides = {
      url: () => 'http://localhost',
      peer: (request: Request) => this.#peers.get(request) ?? null,
      clock: this.clock,
      log: this.#log,
    };
    const config = readConfig({ ...here, ...this.#settings, ...directories });
    const node = await openNode(config, held ? { ...overrides, mailer: heldMailer() } : overrides);
    if (node.context === null) throw new Error('the node answers no requests');
    this.#node = { ...node, context: node.context };
    this.#app = checkedByReference(createApp(this.#node.context), JSON.stringify(this.#settings));
  }

  /** The callers that every test starts with. */
  async enrol(atGates: boolean): Promise<void> {
    this.key = withKey((await this.createKey()).key);
    if (!atGates) return;
    const [pier, yard] = [await this.createDevice('old-pier'), await this.createDevice('rail-yard')];
    this.gates = { pier: withDevice(pier.device_key), yard: withDevice(yard.device_key) };
  }

  get node(): ServingNode {
    if (this.#node === null) throw new Error('the service is stopped');
    return this.#node;
  }

  get logged(): readonly LogLine[] {
    return this.#log.lines;
  }

  get admin(): Credentials {
    return withToken(this.node.secrets.adminToken);
  }

  get analyst(): Credentials {
    return withToken(this.node.secrets.analystToken);
  }

  async send(path: string, init?: RequestInit): Promise<Response> {
    if (this.#app === null) throw new Error('the service is stopped');
    const request = new Request(`http://localhost${path}`, init);
    this.#peers.set(request, this.peer);
    return this.#app.handle(request);
  }

  async get<T>(path: string, headers: Credentials = {}): Promise<Answer<T>> {
    return readAnswer(await this.send(path, { headers }));
  }

  post<T>(path: string, body: unknown, headers: Credentials = {}): Promise<Answer<T>> {
    return this.#withJson('POST', path, body, headers);
  }

  patch<T>(path: string, body: unknown, headers: Credentials = {}): Promise<Answer<T>> {
    return this.#withJson('PATCH', path, body, headers);
  }

  put<T>(path: string, body: unknown, headers: Credentials = {}): Promise<Answer<T>> {
    return this.#withJson('PUT', path, body, headers);
  }

  async #withJson<T>(method: string, path: string, body: unknown, headers: Credentials): Promise<Answer<T>> {
    const text = JSON.stringify(body);
    const described = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) };
    return readAnswer(await this.send(path, { method, body: text, headers: { ...described, ...headers } }));
  }

  async delete<T>(path: string, headers: Credentials = {}): Promise<Answer<T>> {
    return readAnswer(await this.send(path, { method: 'DELETE', headers }));
  }

  book(change: Wish = {}, headers: Credentials = {}): Promise<Answer<Booking>> {
    return this.post('/api/b2a/execute_booking', { ...A_WISH, ...change }, { ...this.key, ...headers });
  }

  booking(id: string, headers: Credentials = {}): Promise<Answer<Booking>> {
    return this.get(`/api/b2a/bookings/${id}`, { ...this.key, ...headers });
  }

  inventory(query: string, headers: Credentials = {}): Promise<Answer<Inventory>> {
    return this.get(`/api/b2a/inventory?${query}`, { ...this.key, ...headers });
  }

  recommend(change: Wish = {}, headers: Credentials = {}): Promise<Answer<Recommendations>> {
    return this.post('/api/b2a/recommend', { ...AN_ASKER, ...change }, { ...this.key, ...headers });
  }

  verify(body: object, headers: Credentials = {}): Promise<Answer<Visit>> {
    return this.post('/api/venue/verify', body, { ...this.gates.pier, ...headers });
  }

  async createKey(settings: object = {}): Promise<Key> {
    return (await this.post<Key>('/api/keys', { name: 'An agent', plan: 'enterprise', ...settings }, this.admin)).data;
  }

  async createDevice(venueId: string, name = 'A gate'): Promise<Device> {
    return (await this.post<Device>(`/api/venues/${venueId}/devices`, { name }, this.admin)).data;
  }

  async events(): Promise<readonly StoredEvent[]> {
    const events: StoredEvent[] = [];
    const { signal } = new AbortController();
    for await (const batch of this.node.stores.store.subscribe({ after: START, signal })) {
      events.push(...batch.events);
      if (batch.caughtUp) break;
    }
    return events;
  }

  async documents(projection: string): Promise<readonly StoredDocument[]> {
    const { stores, projections } = this.node;
    await projections.waitFor(projection, await stores.store.head(), 5_000);
    return Array.fromAsync(stores.readModels.scan(await projections.collection(projection)));
  }

  async rebuild(projection: string): Promise<RebuildOutcome | null> {
    const { operations } = this.node.projections;
    await operations.rebuild(projection);
    for (;;) {
      const status = (await operations.status()).find(({ name }) => name === projection);
      if (!status?.rebuild) return status?.lastRebuild ?? null;
      await new Promise(setImmediate);
    }
  }

  async restart(between: () => void = () => {}): Promise<void> {
    await this.#close().then(between);
    await this.open();
  }

  async stop(): Promise<void> {
    await this.#close();
    this.#temporary.remove();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #close(): Promise<void> {
    await this.node.stop();
    this.#node = null;
    this.#app = null;
  }
}
