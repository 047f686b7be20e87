import { type Program, ready, type Service, type Settings, startProgram } from '../../support/process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { auditAnswers } from './answers.ts';
import { auditSettled, auditTold, type Life, longestLeftAlone } from './audit.ts';
import { type OnSale, writeCatalogue } from './catalogue.ts';
import type { History } from './history.ts';
import { Ledger, type Tally } from './ledger.ts';
import { Load } from './load.ts';
import { type Random, seededRandom } from './random.ts';
import { eventually, pause } from './real-time.ts';
import { settled } from './settle.ts';
import { type Autopsy, auditBytes, autopsy, marksIn } from './stopped.ts';
import { send } from './wire.ts';

/** When a life of the service ends. */
export type Moment = 'under load' | 'while reaping' | 'while rebuilding' | 'while starting';

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
  readonly leftAloneMs: number;
  readonly slowestStartMs: number;
  readonly seconds: number;
};

/** Short, so that many claims outlive their deadlines in a run. */
const TIMES = { RESPONSE_DEADLINE_MS: '400', CLAIM_DEADLINE_MS: '800', REAPER_INTERVAL_MS: '100' };
const REAPER_MS = 100;
/** What a slow machine may take longer than the reaper's interval; the proof is that the time is bounded. */
const MARGIN_MS = 2_000;

const CLIENTS = 16;
/** Requests in one life, at most. */
const BUDGET = 2_500;
const ANSWERS = { least: 40, most: 600 };
/** A start is cut off at any time of as long as the slowest one took, and at least of this. */
const START_MS = 300;
/** Once the moment has come, the kill follows within so long. */
const LONGEST_AFTER_MS = 15;
/** How long a life waits for the reaper to have something to do, before it is ended anyway. */
const REAPING_MS = 1_500;
/** Of the bookings of earlier lives, so many are asked for again after each start; in the end it is every one. */
const SAMPLE = 50;
const SETTLED_MS = 15_000;

/**
 * Kills a real service again and again under load, and looks after each end at what it left on disk, and after each
 * start at what it answers. Returns every fault, in words, and the figures of the run.
 */
export async function prove({
  seed,
  moments,
  progress,
}: Proof): Promise<{ faults: readonly string[]; figures: Figures }> {
  using directory = temporaryDirectory();
  const run = new Run(seed, directory.path, writeCatalogue(directory.file('catalogue'), Date.now()));
  progress(`seed ${seed}: ${moments.length} kills`);
  for (const [index, moment] of moments.entries()) {
    const ended = await run.live(moment);
    progress(`kill ${index + 1} of ${moments.length}, ${ended}: ${run.counts}`);
  }
  await run.lastLife();
  progress(`stopped: ${run.counts}`);
  return { faults: run.faults, figures: run.figures };
}

type Living = { readonly program: Program; readonly service: Service; readonly load: Load };

class Run {
  /** What one life broke is found again after each that follows, and told once. */
  readonly #faults = new Set<string>();
  readonly #ledger = new Ledger();
  readonly #random: Random;
  readonly #directory: string;
  readonly #sale: OnSale;
  readonly #lives: Life[] = [];
  readonly #beganMs = performance.now();
  #history: History | null = null;
  /** A key without limits, made in the first life: the demo key's plan allows fewer requests than the load sends. */
  #apiKey: string | null = null;
  #asked = 0;
  #slowestStartMs = 0;

  constructor(seed: number, directory: string, sale: OnSale) {
    this.#random = seededRandom(seed);
    this.#directory = directory;
    this.#sale = sale;
  }

  get faults(): readonly string[] {
    return [...this.#faults, ...this.#ledger.faults];
  }

  get figures(): Figures {
    const claims = [...(this.#history?.claims.values() ?? [])];
    return {
      ...this.#ledger.tally,
      kills: this.#lives.length - 1,
      events: this.#history?.events ?? 0,
      bookingsInLog: this.#history?.bookings.size ?? 0,
      abandoned: claims.filter(({ abandoned }) => abandoned !== null).length,
      leftAloneMs: this.#history === null ? 0 : longestLeftAlone(this.#history, this.#lives),
      slowestStartMs: Math.round(this.#slowestStartMs),
      seconds: Math.round((performance.now() - this.#beganMs) / 1000),
    };
  }

  get counts(): string {
    const { confirmed, soldOut, unanswered, sentAgain, verified, abandoned, events } = this.figures;
    return `${confirmed} confirmed, ${soldOut} sold out, ${unanswered} unanswered, ${sentAgain} sent again, ${verified} verified, ${abandoned} claims abandoned, ${events} events, ${this.faults.length} faults`;
  }

  /** One life of the service, from its start to its sudden end. */
  async live(moment: Moment): Promise<string> {
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
    const load = this.#load(service);
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

  /** Everybody gets an answer, the reaper comes to rest, and the service is asked to stop. */
  async lastLife(): Promise<void> {
    const settings = this.#settings();
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
    this.#fault(...(await auditAnswers(service, this.#ledger, [...this.#ledger.bookings.values()])));
    const exitCode = await program.terminate();
    if (exitCode !== 0) this.#fault(`the last process ended with code ${exitCode}`);
    const { history: end, erased } = await this.#examine(program, { fromMs, toMs: Date.now() });
    this.#fault(...auditSettled(end, this.#ledger, erased), ...auditBytes(this.#settings().DATA_DIR, end));
  }

  #settings(): Settings {
    return {
      ...TIMES,
      DATA_DIR: `${this.#directory}/data`,
      CATALOGUE_DIR: `${this.#directory}/catalogue`,
      PORT: '0',
      // The same in every life, so that a booking is the same text in every life.
      PUBLIC_URL: 'https://waymark.example',
    };
  }

  async #started(program: Program, settings: Settings): Promise<{ service: Service; fromMs: number }> {
    const sinceMs = performance.now();
    const started = await ready(program, settings);
    this.#slowestStartMs = Math.max(this.#slowestStartMs, performance.now() - sinceMs);
    this.#apiKey ??= await unlimitedKey(started);
    const service = { ...started, apiKey: this.#apiKey };
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

  #load(service: Service, budget = BUDGET): Load {
    const [ledger, sale, random] = [this.#ledger, this.#sale, this.#random];
    return new Load({ service, ledger, sale, random, clients: CLIENTS, budget, daysAhead: this.#lives.length });
  }

  /** Waits for the moment, and says what it was. */
  async #come(moment: Moment, { program, service, load }: Living): Promise<string> {
    if (moment === 'while reaping') {
      const reaped = program.stdout.line(/"claim abandoned"/).then(() => 'a claim was abandoned');
      return Promise.race([reaped, pause(REAPING_MS).then(() => `${REAPING_MS} ms without a claim to abandon`)]);
    }
    const answers = this.#random.whole(ANSWERS.least, ANSWERS.most);
    await load.answered(answers);
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
    const found = await autopsy(this.#settings().DATA_DIR);
    this.#history = found.history;
    this.#fault(...found.faults, ...auditTold(found.history, this.#ledger), ...auditWords(program));
    const { leftAloneMs } = this.figures;
    if (leftAloneMs > REAPER_MS + MARGIN_MS) this.#fault(`a claim was left alone for ${leftAloneMs} ms past its time`);
    return found;
  }

  #fault(...faults: readonly string[]): void {
    for (const fault of faults) this.#faults.add(fault);
  }
}

async function unlimitedKey({ url, adminToken }: Service): Promise<string> {
  const headers = { authorization: `Bearer ${adminToken}` };
  const made = await send<{ readonly key: string }>(`${url}/api/keys`, headers, { name: 'Load', plan: 'enterprise' });
  if (made.kind !== 'done') throw new Error(`no key was made: ${JSON.stringify(made)}`);
  return made.data.key;
}

/** What a process said: nothing of guests, and of no fault. */
function auditWords({ stdout, stderr }: Program): string[] {
  const guests = marksIn(stdout.text + stderr.text).map((mark) => `the service told its log of ${mark}`);
  const complaints = [...stdout.lines.filter((line) => /^\{"level":[56]0,/.test(line)), ...stderr.lines];
  return [...guests, ...complaints.map((line) => `the service complained: ${line}`)];
}
