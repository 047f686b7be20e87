import { auditLog } from '../../simulation/kill/audit.ts';
import { dateAhead } from '../../simulation/kill/catalogue.ts';
import { readHistory } from '../../simulation/kill/history.ts';
import { type Random, seededRandom } from '../../simulation/kill/random.ts';
import { pause } from '../../simulation/kill/real-time.ts';
import type { BookingData } from '../../simulation/kill/wire.ts';
import { openReceiver, type Receiver } from '../../support/receiver.ts';
import { call, keyKnownTo, until, wish } from './client.ts';
import { type Cluster, type ClusterNode, type Events, startCluster } from './cluster.ts';
import { rebuiltOtherwise } from './rebuilds.ts';

const ROLES = ['api', 'projector', 'deliverer'] as const;
type RoleName = (typeof ROLES)[number];

const CLIENTS = 8;
/** Between two misfortunes, and before a request is repeated. */
const REST_MS = 2_500;
const AGAIN_MS = 50;
const LONGEST_AWAY_MS = 3_000;
const SETTLED_MS = 60_000;

export type Figures = {
  readonly seed: number;
  readonly bookings: number;
  readonly repeated: number;
  readonly misfortunes: Readonly<Record<string, number>>;
};

/**
 * Two nodes of each role under load, while nodes and engines are killed or stand still, one after the other. Returns what
 * broke a promise, in words, and the figures of the run.
 */
export async function chaos(
  seed: number,
  misfortunes: number,
): Promise<{ readonly faults: readonly string[]; readonly figures: Figures }> {
  await using cluster = await startCluster();
  await using receiver = openReceiver();
  const run = new Run(cluster, receiver, seededRandom(seed));
  await run.start();
  for (let count = 0; count < misfortunes; count++) {
    await pause(REST_MS);
    await run.misfortune();
  }
  await run.settle();
  const { counts, repeated, booked } = run;
  return { faults: await run.faults(), figures: { seed, bookings: booked.size, repeated, misfortunes: counts } };
}

class Run {
  readonly booked = new Map<string, BookingData>();
  readonly counts: Record<string, number> = {};
  repeated = 0;
  readonly #cluster: Cluster;
  readonly #receiver: Receiver;
  readonly #random: Random;
  readonly #nodes: { readonly role: RoleName; node: ClusterNode }[] = [];
  readonly #odd: string[] = [];
  #headers: Readonly<Record<string, string>> = {};
  #clients: Promise<unknown> = Promise.resolve();
  #stopped = false;

  constructor(cluster: Cluster, receiver: Receiver, random: Random) {
    this.#cluster = cluster;
    this.#receiver = receiver;
    this.#random = random;
  }

  async start(): Promise<void> {
    for (const role of [...ROLES, ...ROLES]) this.#nodes.push({ role, node: await this.#cluster.start(role) });
    this.#headers = await keyKnownTo(this.#apis(), { webhook_url: this.#receiver.url });
    this.#clients = Promise.all(Array.from({ length: CLIENTS }, (_, index) => this.#client(index)));
  }

  async misfortune(): Promise<void> {
    const { events, documents } = this.#cluster;
    const kind = this.#random.pick(['a node is killed', 'an engine is killed', 'an engine stands still']);
    const engine = this.#random.pick<Pick<Events, 'kill' | 'restart' | 'pause' | 'resume'>>([events, documents]);
    const awayMs = this.#random.whole(0, LONGEST_AWAY_MS);
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    if (kind === 'a node is killed') return this.#replaceNode();
    if (kind === 'an engine is killed') await engine.kill();
    else engine.pause();
    await pause(awayMs);
    if (kind === 'an engine is killed') await engine.restart();
    else engine.resume();
  }

  /** No new booking is begun; resolves when all that follows from the old ones has come. */
  async settle(): Promise<void> {
    this.#stopped = true;
    await this.#clients;
    await until('every booking is told and mailed', SETTLED_MS, () => Promise.resolve(this.#owed().length === 0));
  }

  async faults(): Promise<readonly string[]> {
    const history = readHistory(await this.#cluster.log());
    const lost = [...this.booked.keys()].filter((id) => ![...history.bookings.keys()].some((known) => known === id));
    const messages = new Map<string, Set<string>>();
    for (const { to, mail } of this.#cluster.mails.arrived)
      messages.set(to, (messages.get(to) ?? new Set()).add(mail.messageId ?? ''));
    const others = [...messages].filter(([, ids]) => ids.size !== 1);
    return [
      ...this.#odd,
      ...auditLog(history),
      ...lost.map((id) => `${id} was confirmed, and is not in the log`),
      ...others.map(([to, ids]) => `${to} got ${ids.size} different mails`),
      ...this.#toldUnderTwoNames(),
      ...(await rebuiltOtherwise(this.#apis()[0])),
    ];
  }

  #apis(): ClusterNode[] {
    return this.#nodes.flatMap(({ role, node }) => (role === 'api' ? [node] : []));
  }

  async #replaceNode(): Promise<void> {
    const place = this.#nodes[this.#random.whole(0, this.#nodes.length - 1)];
    if (place === undefined) return;
    await place.node.program.kill();
    place.node = await this.#cluster.start(place.role);
  }

  /** Books until it is told to stop. What had no answer is asked again under the same key, on whatever node is there. */
  async #client(index: number): Promise<void> {
    const { large, small } = this.#cluster.sale;
    for (let round = 0; !this.#stopped; round++) {
      const activities = round % 4 === 0 ? small : large;
      const body = wish(activities[round % activities.length] ?? '', dateAhead(this.#cluster.sale, round % 5));
      const headers = { ...this.#headers, 'idempotency-key': `${index}-${round}` };
      for (let attempt = 0; !(await this.#answered(headers, body, index + attempt)); attempt++) {
        this.repeated++;
        await pause(AGAIN_MS);
      }
    }
  }

  async #answered(headers: Readonly<Record<string, string>>, body: object, choice: number): Promise<boolean> {
    const apis = this.#apis();
    const node = apis[choice % apis.length];
    if (node === undefined) return false;
    try {
      const { status, code, data } = await call<BookingData>(node, '/api/b2a/execute_booking', { headers, body });
      if (status === 200) this.booked.set(data.booking_id, data);
      // A key that a node which has just started does not know yet is no fault of the request's.
      else if (status === 503 || code === 'IDEMPOTENCY_IN_PROGRESS') return false;
      else if (code !== 'INVENTORY_EXHAUSTED') this.#odd.push(`a booking was answered ${status} ${code}`);
      return true;
    } catch {
      return false;
    }
  }

  /** Bookings whose events or mail have not come. */
  #owed(): readonly string[] {
    const told = new Set(this.#received().map(({ event, id }) => `${event} ${id}`));
    const mailed = new Set(this.#cluster.mails.arrived.map(({ to }) => to));
    return [...this.booked].flatMap(([id, { user_email: to }]) =>
      told.has(`booking_confirmed ${id}`) && told.has(`voucher_delivered ${id}`) && mailed.has(to) ? [] : [id],
    );
  }

  #received(): readonly { readonly event: string; readonly id: string; readonly name: string }[] {
    return this.#receiver.received.map(({ headers, body }) => {
      // The published shape of the envelope.
      const { event, data } = JSON.parse(body) as { event: string; data: { booking_id: string } };
      return { event, id: data.booking_id, name: headers.get('webhook-id') ?? '' };
    });
  }

  /** An event may come twice, but under one id. */
  #toldUnderTwoNames(): readonly string[] {
    const names = new Map<string, Set<string>>();
    for (const { event, id, name } of this.#received())
      names.set(`${event} of ${id}`, (names.get(`${event} of ${id}`) ?? new Set()).add(name));
    return [...names].flatMap(([what, of]) => (of.size === 1 ? [] : [`${what} came under ${of.size} ids`]));
  }
}
