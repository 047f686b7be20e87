import { type Program, ready, type Service, type Settings, startProgram } from '../../support/process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { auditAnswers } from './answers.ts';
import { auditSettled, auditTold, type Life, longestLeftAlone } from './audit.ts';
import { auditAllOut, auditOutbound } from './audit-outbound.ts';
import { type OnSale, writeCatalogue } from './catalogue.ts';
import { nextCheckpoint } from './checkpoint-watch.ts';
import { ClockFile } from './clock-file.ts';
import { auditDeliveryLog, nothingRetrying } from './delivery-log.ts';
import type { History } from './history.ts';
import { Ledger, type Tally } from './ledger.ts';
import { Load } from './load.ts';
import type { Outbound } from './outbound.ts';
import { type PeerFigures, Peers } from './peers.ts';
import { type Random, seededRandom } from './random.ts';
import { beforeStandstill, eventually, pause } from './real-time.ts';
import { settled } from './settle.ts';
import { type Autopsy, auditBytes, autopsy, marksIn } from './stopped.ts';
import { send } from './wire.ts';

/** When a life of the service ends. */
export type Moment =
  | 'under load'
  | 'while mailing'
  | 'while telling'
  | 'while catching up'
  | 'at a checkpoint'
  | 'while reaping'
  | 'while rebuilding'
  | 'while starting';

export type Proof = {
  readonly seed: number;
  readonly moments: readonly Moment[];
  readonly progress: (line: string) => void;
};

export type Figures = Tally & {
  readonly kills: number;
  readonly events: number;
  readonly bookingsInLog: number;
  readonly abandoned: number;
  readonly peers: PeerFigures;
  readonly leftAloneMs: number;
  readonly slowestStartMs: number;
  readonly seconds: number;
};

/** Short, so that many claims outlive their deadlines in a run. */
const TIMES = {
  RESPONSE_DEADLINE_MS: '400',
  CLAIM_DEADLINE_MS: '800',
  REAPER_INTERVAL_MS: '100',
  WEBHOOK_TIMEOUT_MS: '500',
};
const REAPER_MS = 100;
/**
 * What a slow machine may take longer than the reaper's interval, beside as much as it takes for a start; the proof is
 * that the time is bounded.
 */
const MARGIN_MS = 2_000;

const CLIENTS = 16;
/** Requests in one life, at most. */
const BUDGET = 2_500;
/** Where a checkpoint is waited for: the first one is stored a second after the start, and the load must last until then. */
const LONG_BUDGET = 10_000;
const CHECKPOINT_MS = 3_000;
const MANAGERS = ['webhook-fan-out', 'webhook-deliverer', 'voucher-mailer'] as const;
const ANSWERS = { least: 40, most: 600 };
/** A start is cut off at any time of as long as the slowest one took, and at least of this. */
const START_MS = 300;
/** Once the moment has come, the kill follows within so long. */
const LONGEST_AFTER_MS = 15;
/** After a start it takes about so long to see what was cut off by the last end, and to do it again. */
const CATCHING_UP_MS = 150;
/** More than the intervals of process managers: whatever waits for its interval wakes in the leap. */
const LEAP_MS = 1_000;
/** Whether answers to bookings wait for their mails. */
const MAIL_WAITS_MS = ['0', '200'] as const;
/** So many mails or deliveries of a life may go through before one is cut off, and so long it is waited for them. */
const MOST_HELD = 80;
const HOLDING_MS = 2_000;
/** How long a life waits for the reaper to have something to do, before it is ended anyway. */
const REAPING_MS = 1_500;
/** Of the bookings of earlier lives, so many are asked for again after each start; in the end it is every one. */
const SAMPLE = 50;
const SETTLED_MS = 15_000;
/** When nothing has come in at the peers for so long, nothing will. */
const STILL_MS = 5_000;

/**
 * Kills a real service again and again under load, and looks after each end at what it left on disk, and after each
 * start at what it answers. A mail server and a receiver of webhooks outlive it and compare what came with its log; both
 * misbehave at times, so that retries are under way, too. Returns every fault, in words, and the figures of the run.
 *
 * Time is the machine's, but in two kinds of life: one that is cut off while catching up has a clock that stands still
 * for about a second and leaps; the last one's is put forward, so that the pauses of retries need not be waited for.
 */
export async function prove({
  seed,
  moments,
  progress,
}: Proof): Promise<{ faults: readonly string[]; figures: Figures }> {
  using directory = temporaryDirectory();
  await using peers = await Peers.open(seed);
  const sale = writeCatalogue(directory.file('catalogue'), Date.now());
  const run = new Run({ seed, directory: directory.path, sale, peers });
  progress(`seed ${seed}: ${moments.length} kills`);
  for (const [index, moment] of moments.entries()) {
    const ended = await run.live(moment);
    progress(`kill ${index + 1} of ${moments.length}, ${ended}: ${run.counts}`);
  }
  await run.lastLife();
  progress(`stopped: ${run.counts}`);
  return { faults: run.faults, figures: run.figures };
}

type Scene = {
  readonly seed: number;
  readonly directory: string;
  readonly sale: OnSale;
  readonly peers: Peers;
};

type Living = { readonly program: Program; readonly service: Service; readonly load: Load };

class Run {
  /** What one life broke is found again after each that follows, and told once. */
  readonly #faults = new Set<string>();
  readonly #ledger = new Ledger();
  readonly #random: Random;
  readonly #directory: string;
  readonly #sale: OnSale;
  readonly #peers: Peers;
  readonly #lives: Life[] = [];
  readonly #beganMs = performance.now();
  #history: History | null = null;
  #outbound: Outbound | null = null;
  /** A key without limits, made in the first life: the demo key's plan allows fewer requests than the load sends. */
  #apiKey: string | null = null;
  #asked = 0;
  #slowestStartMs = 0;

  constructor({ seed, directory, sale, peers }: Scene) {
    this.#random = seededRandom(seed);
    this.#directory = directory;
    this.#sale = sale;
    this.#peers = peers;
  }

  get faults(): readonly string[] {
    return [...this.#faults, ...this.#ledger.faults, ...this.#peers.faults];
  }

  get figures(): Figures {
    const claims = [...(this.#history?.claims.values() ?? [])];
    return {
      ...this.#ledger.tally,
      kills: this.#lives.length - 1,
      events: this.#history?.events ?? 0,
      bookingsInLog: this.#history?.bookings.size ?? 0,
      abandoned: claims.filter(({ abandoned }) => abandoned !== null).length,
      peers: this.#peers.figures,
      leftAloneMs: this.#history === null ? 0 : longestLeftAlone(this.#history, this.#lives),
      slowestStartMs: Math.round(this.#slowestStartMs),
      seconds: Math.round((performance.now() - this.#beganMs) / 1000),
    };
  }

  get counts(): string {
    const { confirmed, soldOut, unanswered, sentAgain, verified, abandoned, events, peers } = this.figures;
    const told = `${peers.mails} mails (${peers.cutOff.mails} cut off), ${peers.events} events (${peers.cutOff.attempts} cut off)`;
    return `${confirmed} confirmed, ${soldOut} sold out, ${unanswered} unanswered, ${sentAgain} sent again, ${verified} verified, ${abandoned} claims abandoned, ${told}, ${events} in the log, ${this.faults.length} faults`;
  }

  /** One life of the service, from its start to its sudden end. */
  async live(moment: Moment): Promise<string> {
    this.#countCutOff();
    if (moment === 'while catching up') return this.#cutWhileCatchingUp();
    const settings = this.#settings();
    await using program = startProgram(['serve'], settings);
    if (moment === 'while starting') {
      const afterMs = this.#random.whole(0, Math.max(START_MS, Math.round(this.#slowestStartMs)));
      await pause(afterMs);
      await program.kill();
      const nowMs = Date.now();
      await this.#examine(program, { fromMs: nowMs, toMs: nowMs });
      return `${moment}, after ${afterMs} ms`;
    }
    const { service, fromMs } = await this.#started(program, settings);
    const load = this.#load(service, moment === 'at a checkpoint' ? LONG_BUDGET : BUDGET);
    const ended = await this.#come(moment, { program, service, load });
    const afterMs = this.#random.whole(0, LONGEST_AFTER_MS);
    await pause(afterMs);
    const toMs = Date.now();
    const gone = program.kill();
    await load.stop();
    await gone;
    await this.#examine(program, { fromMs, toMs });
    return `${moment}, ${afterMs} ms after ${ended}`;
  }

  /**
   * Ended while it does again what its last end cut off, and before anything new is asked of it. Its clock stands still
   * until then and leaps, so that intervals end and checkpoints are stored in the middle of that.
   */
  async #cutWhileCatchingUp(): Promise<string> {
    using clock = new ClockFile(`${this.#directory}/now`);
    const settings = { ...this.#settings(), WAYMARK_TEST_CLOCK: clock.path };
    await pause(LEAP_MS);
    await using program = startProgram(['serve'], settings);
    await this.#answering(program, settings);
    const leapsAfterMs = this.#random.whole(0, CATCHING_UP_MS);
    await pause(leapsAfterMs);
    const fromMs = Date.now();
    clock.run();
    const afterMs = this.#random.whole(0, CATCHING_UP_MS);
    await pause(afterMs);
    const toMs = Date.now();
    await program.kill();
    await this.#examine(program, { fromMs, toMs });
    return `while catching up, ${leapsAfterMs} and ${afterMs} ms after the start`;
  }

  /** Everybody gets an answer, the reaper comes to rest, nothing is owed, and the service is asked to stop. */
  async lastLife(): Promise<void> {
    this.#countCutOff();
    this.#peers.calm();
    using clock = new ClockFile(`${this.#directory}/now`);
    clock.run();
    const settings = { ...this.#settings(), WAYMARK_TEST_CLOCK: clock.path };
    await using program = startProgram(['serve'], settings);
    const { service, fromMs } = await this.#started(program, settings);
    const load = this.#load(service, 0);
    const resolved = await eventually(async () => {
      await load.sendUnsure();
      return this.#ledger.unsure === 0;
    }, SETTLED_MS);
    if (!resolved) this.#fault(`${this.#ledger.unsure} requests have no answer after ${SETTLED_MS} ms`);
    const history = this.#history;
    const idle = await eventually(async () => history === null || settled(service, history, this.#ledger), SETTLED_MS);
    if (!idle) this.#fault(`the inventory is not that of the bookings after ${SETTLED_MS} ms`);
    await clock.hurry();
    const allOut = await beforeStandstill(
      async () => this.#allOut() && (await nothingRetrying(service)),
      () => this.#peers.arrivals,
      STILL_MS,
    );
    if (!allOut) this.#fault('not every mail and event that is owed has arrived');
    this.#fault(...(await auditAnswers(service, this.#ledger, [...this.#ledger.bookings.values()])));
    this.#fault(...(await auditDeliveryLog(service, this.#peers.webhook)));
    const exitCode = await program.terminate();
    if (exitCode !== 0) this.#fault(`the last process ended with code ${exitCode}`);
    const { history: end, outbound, erased } = await this.#examine(program, { fromMs, toMs: Date.now() });
    this.#fault(...auditSettled(end, this.#ledger, erased), ...auditBytes(this.#dataDirectory, end));
    this.#countCutOff();
    this.#fault(...auditAllOut(end, outbound));
  }

  /** Whether the receiver has heard of every booking and visit that is known. */
  #allOut(): boolean {
    const inLog = this.#history?.bookings.keys() ?? [];
    return this.#peers.haveAll(
      new Set([...inLog, ...this.#ledger.bookings.keys()]),
      new Set(this.#ledger.visits.keys()),
    );
  }

  get #dataDirectory(): string {
    return `${this.#directory}/data`;
  }

  #settings(): Settings {
    return {
      ...TIMES,
      DATA_DIR: this.#dataDirectory,
      CATALOGUE_DIR: `${this.#directory}/catalogue`,
      PORT: '0',
      SMTP_URL: this.#peers.mail.url,
      MAIL_WAIT_MS: this.#random.pick(MAIL_WAITS_MS),
      // The same in every life, so that a booking is the same text in every life.
      PUBLIC_URL: 'https://waymark.example',
    };
  }

  async #started(program: Program, settings: Settings): Promise<{ service: Service; fromMs: number }> {
    const service = await this.#answering(program, settings);
    const known = [...this.#ledger.bookings.values()];
    const older = known.slice(0, this.#asked);
    const sample = Array.from({ length: Math.min(SAMPLE, older.length) }, () =>
      older.splice(this.#random.whole(0, older.length - 1), 1),
    ).flat();
    const fromMs = Date.now();
    this.#fault(...(await auditAnswers(service, this.#ledger, [...known.slice(this.#asked), ...sample])));
    this.#asked = known.length;
    return { service, fromMs };
  }

  async #answering(program: Program, settings: Settings): Promise<Service> {
    const sinceMs = performance.now();
    const started = await ready(program, settings);
    this.#slowestStartMs = Math.max(this.#slowestStartMs, performance.now() - sinceMs);
    this.#apiKey ??= await this.#unlimitedKey(started);
    return { ...started, apiKey: this.#apiKey };
  }

  #load(service: Service, budget: number): Load {
    const [ledger, sale, random] = [this.#ledger, this.#sale, this.#random];
    return new Load({ service, ledger, sale, random, clients: CLIENTS, budget, daysAhead: this.#lives.length });
  }

  /** Waits for the moment, and says what it was. */
  async #come(moment: Moment, { program, service, load }: Living): Promise<string> {
    if (moment === 'while reaping') {
      const reaped = program.stdout.line(/"claim abandoned"/).then(() => 'a claim was abandoned');
      return Promise.race([reaped, pause(REAPING_MS).then(() => `${REAPING_MS} ms without a claim to abandon`)]);
    }
    if (moment === 'at a checkpoint') {
      const manager = this.#random.pick(MANAGERS);
      const stored = await nextCheckpoint(this.#dataDirectory, manager, CHECKPOINT_MS);
      return stored ? `a checkpoint of ${manager}` : `${CHECKPOINT_MS} ms without a checkpoint of ${manager}`;
    }
    const answers = this.#random.whole(ANSWERS.least, ANSWERS.most);
    await load.answered(answers);
    if (moment === 'while mailing' || moment === 'while telling') {
      const more = this.#random.whole(1, MOST_HELD);
      const { mail, webhook } = this.#peers;
      const held = (moment === 'while mailing' ? mail : webhook).holding(more);
      await Promise.race([held, pause(HOLDING_MS)]);
      return `${answers} answers and ${more} more ${moment === 'while mailing' ? 'mails' : 'deliveries'}`;
    }
    if (moment !== 'while rebuilding') return `${answers} answers`;
    const projection = this.#random.pick(['bookings', 'inventory']);
    const headers = { authorization: `Bearer ${service.adminToken}` };
    const started = await send(`${service.url}/api/ops/projections/${projection}/rebuild`, headers, {});
    if (started.kind !== 'done') this.#fault(`the rebuild of ${projection} did not start: ${JSON.stringify(started)}`);
    return `the rebuild of ${projection} began`;
  }

  /** After the end of a life: the log, the read models, what was told, and what the process said of itself. */
  async #examine(program: Program, life: Life): Promise<Autopsy> {
    this.#lives.push(life);
    const found = await autopsy(this.#dataDirectory);
    this.#history = found.history;
    this.#outbound = found.outbound;
    this.#fault(...auditOutbound(found.history, found.outbound, this.#peers));
    this.#fault(...found.faults, ...auditTold(found.history, this.#ledger), ...auditWords(program));
    const { leftAloneMs } = this.figures;
    if (leftAloneMs > REAPER_MS + MARGIN_MS + this.#slowestStartMs)
      this.#fault(`a claim was left alone for ${leftAloneMs} ms past its time`);
    return found;
  }

  async #unlimitedKey({ url, adminToken }: Service): Promise<string> {
    const { webhook } = this.#peers;
    const headers = { authorization: `Bearer ${adminToken}` };
    const wish = { name: 'Load', plan: 'enterprise', webhook_url: webhook.url };
    const made = await send<{ readonly key: string; readonly webhook_secret: string }>(
      `${url}/api/keys`,
      headers,
      wish,
    );
    if (made.kind !== 'done') throw new Error(`no key was made: ${JSON.stringify(made)}`);
    webhook.expect(made.data.webhook_secret);
    return made.data.key;
  }

  /** Of the life before. Not at its very end: what it had sent is still read while it is examined. */
  #countCutOff(): void {
    if (this.#history === null || this.#outbound === null) return;
    this.#fault(...this.#peers.count(this.#history, this.#outbound, this.#lives.length));
  }

  #fault(...faults: readonly string[]): void {
    for (const fault of faults) this.#faults.add(fault);
  }
}

/** What a process said: nothing of guests, and of no fault. */
function auditWords({ stdout, stderr }: Program): string[] {
  const guests = marksIn(stdout.text + stderr.text).map((mark) => `the service told its log of ${mark}`);
  const complaints = [...stdout.lines.filter((line) => /^\{"level":[56]0,/.test(line)), ...stderr.lines];
  return [...guests, ...complaints.map((line) => `the service complained: ${line}`)];
}
