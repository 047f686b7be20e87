import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { type Account, openAccount, type Service } from './account.ts';
import { auditAnswers } from './answers.ts';
import { auditSettled, type Life } from './audit.ts';
import { auditAllOut } from './audit-outbound.ts';
import { ClockFile } from './clock-file.ts';
import { auditDeliveryLog, nothingRetrying } from './delivery-log.ts';
import { type Figures, Findings } from './findings.ts';
import { Load } from './load.ts';
import { come, type Moment } from './moments.ts';
import { Peers } from './peers.ts';
import { type Random, seededRandom } from './random.ts';
import { beforeStandstill, eventually, pause } from './real-time.ts';
import { caughtUp, mailed, settled } from './settle.ts';
import type { Cast, LifeSettings, Stage } from './stage.ts';
import { auditBytes } from './stopped.ts';

export type Proof = {
  readonly seed: number;
  /** Where the service is played. */
  readonly stage: () => Promise<Stage>;
  readonly moments: readonly Moment[];
  /** How often in each life something befalls a part of it, where that is possible. */
  readonly accidents: number;
  readonly progress: (line: string) => void;
};

const REAPER_MS = 100;
const TIMES = { REAPER_INTERVAL_MS: String(REAPER_MS), WEBHOOK_TIMEOUT_MS: '500', HOLD_MINUTES: '1' };

/** A start is cut off at any time of as long as the slowest one took, and at least of this. */
const START_MS = 300;
/** Once the moment has come, the kill follows within so long. */
const LONGEST_AFTER_MS = 15;
/** Before something befalls a part of the service, so many requests are answered at most. */
const MOST_BEFORE_ACCIDENT = 120;
/** After a start it takes about so long to see what was cut off by the last end, and to do it again. */
const CATCHING_UP_MS = 150;
/** More than the intervals of process managers: whatever waits for its interval wakes in the leap. */
const LEAP_MS = 1_000;
/** Whether answers to bookings wait for their mails. */
const MAIL_WAITS_MS = ['0', '200'] as const;
/** Of the bookings of earlier lives, so many are asked for again after each start; in the end it is every one. */
const SAMPLE = 50;
const SETTLED_MS = 30_000;
/** When nothing has come in at the peers for so long, nothing will. */
const STILL_MS = 5_000;

/**
 * Kills a real service again and again under load, and looks after each end at what it left on its engines, and after
 * each start at what it answers. A mail server and a receiver of webhooks outlive it and compare what came with its log;
 * both misbehave at times, so that retries are under way, too. Returns every fault, in words, and the figures of the run.
 *
 * Time is the machine's, but in two kinds of life: one that is cut off while catching up has a clock that stands still
 * for about a second and leaps; the last one's is put forward, so that the pauses of retries need not be waited for.
 */
export async function prove(proof: Proof): Promise<{ faults: readonly string[]; figures: Figures }> {
  const { seed, moments, progress } = proof;
  using directory = temporaryDirectory();
  await using peers = await Peers.open(seed);
  await using stage = await proof.stage();
  const findings = new Findings(stage, peers, REAPER_MS);
  const run = new Run({ ...proof, stage, peers, findings, clock: directory.file('now') });
  progress(`seed ${seed}: ${moments.length} kills`);
  for (const [index, moment] of moments.entries()) {
    const ended = await run.live(moment);
    progress(`kill ${index + 1} of ${moments.length}, ${ended}: ${findings.counts}`);
  }
  await run.lastLife();
  progress(`stopped: ${findings.counts}`);
  return { faults: findings.faults, figures: findings.figures };
}

type Scene = {
  readonly seed: number;
  readonly stage: Stage;
  readonly accidents: number;
  readonly peers: Peers;
  readonly findings: Findings;
  /** A path for clocks. */
  readonly clock: string;
};

class Run {
  readonly #scene: Scene;
  readonly #random: Random;
  #account: Account | null = null;
  #asked = 0;

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#random = seededRandom(scene.seed);
  }

  /** One life of the service, from its start to its sudden end. */
  async live(moment: Moment): Promise<string> {
    const { findings } = this.#scene;
    findings.countCutOff();
    if (moment === 'while catching up') return this.#cutWhileCatchingUp();
    await using cast = this.#begin();
    if (moment === 'while starting') {
      const afterMs = this.#random.whole(0, Math.max(START_MS, Math.round(findings.slowestStartMs)));
      await pause(afterMs);
      const how = await cast.kill(this.#random);
      await findings.examine({ pieces: [since(Date.now())], words: cast.words });
      return `${moment}, after ${afterMs} ms${how}`;
    }
    const { service, startedMs } = await this.#started(cast);
    const load = this.#load(service, moment);
    const { pieces, befallen, fromMs } = await this.#accidents(cast, load, startedMs);
    const ended = await come(moment, { ...this.#scene, cast, service, load, random: this.#random });
    const afterMs = this.#random.whole(0, LONGEST_AFTER_MS);
    await pause(afterMs);
    const last = since(fromMs);
    const gone = cast.kill(this.#random);
    await load.stop();
    const how = await gone;
    await findings.examine({ pieces: [...pieces, last], words: cast.words });
    return `${befallen}${moment}, ${afterMs} ms after ${ended}${how}`;
  }

  /** While the load goes on, parts of the service die or stand still, and come back. */
  async #accidents(cast: Cast, load: Load, startedMs: number) {
    const { accidents, findings } = this.#scene;
    const pieces: Life[] = [];
    let [befallen, fromMs] = ['', startedMs];
    for (let count = 0; count < accidents && cast.accident !== null; count++) {
      await load.answered(this.#random.whole(1, MOST_BEFORE_ACCIDENT));
      const whole = since(fromMs);
      const kind = await cast.accident(this.#random);
      findings.accident(kind);
      pieces.push(whole);
      befallen += `${kind}; `;
      fromMs = Date.now();
    }
    return { pieces, befallen, fromMs };
  }

  /**
   * Ended while it does again what its last end cut off, and before anything new is asked of it. Its clock stands still
   * until then and leaps, so that intervals end and checkpoints are stored in the middle of that.
   */
  async #cutWhileCatchingUp(): Promise<string> {
    const { findings } = this.#scene;
    using clock = new ClockFile(this.#scene.clock);
    await pause(LEAP_MS);
    await using cast = this.#begin(clock);
    await this.#answering(cast);
    const leapsAfterMs = this.#random.whole(0, CATCHING_UP_MS);
    await pause(leapsAfterMs);
    const fromMs = Date.now();
    clock.run();
    const afterMs = this.#random.whole(0, CATCHING_UP_MS);
    await pause(afterMs);
    const life = since(fromMs);
    const how = await cast.kill(this.#random);
    await findings.examine({ pieces: [life], words: cast.words });
    return `while catching up, ${leapsAfterMs} and ${afterMs} ms after the start${how}`;
  }

  /** Waits until every request has an answer, the reaper is idle and nothing is pending; then stops the service. */
  async lastLife(): Promise<void> {
    const { stage, peers, findings } = this.#scene;
    const { ledger, history } = findings;
    findings.countCutOff();
    peers.calm();
    using clock = new ClockFile(this.#scene.clock);
    clock.run();
    await using cast = this.#begin(clock);
    const { service, startedMs } = await this.#started(cast);
    const load = this.#load(service, null);
    const resolved = await eventually(async () => {
      await load.sendUnsure();
      return ledger.unsure === 0;
    }, SETTLED_MS);
    if (!resolved) findings.add(`${ledger.unsure} requests have no answer after ${SETTLED_MS} ms`);
    // The second time, every hold has come to its end.
    await clock.hurry();
    await clock.hurry();
    const idle = await eventually(async () => history === null || settled(service, history, ledger), SETTLED_MS);
    if (!idle) findings.add(`the inventory is not that of the bookings after ${SETTLED_MS} ms`);
    const allOut = await beforeStandstill(
      async () => (await this.#allOut(service)) && (await nothingRetrying(service)),
      () => peers.arrivals,
      STILL_MS + stage.standInMs,
    );
    if (!allOut) findings.add('not every mail and event that is owed has arrived');
    if (!(await eventually(() => caughtUp(service), SETTLED_MS)))
      findings.add(`the read models are behind the log after ${SETTLED_MS} ms`);
    findings.add(...(await auditAnswers(service, ledger, [...ledger.bookings.values()])));
    findings.add(...(await auditDeliveryLog(service, peers.webhook)));
    for (const exitCode of await cast.terminate())
      if (exitCode !== 0) findings.add(`the last life ended with code ${exitCode}`);
    const end = await findings.examine({ pieces: [since(startedMs)], words: cast.words });
    findings.add(...auditSettled(end.history, ledger, end.erased), ...auditBytes(await stage.bytes(), end.history));
    findings.countCutOff();
    findings.add(...auditAllOut(end.history, end.outbound));
  }

  /** Whether the receiver has heard of all that is known, and the last voucher of every booking was mailed. */
  async #allOut(service: Service): Promise<boolean> {
    const { peers, findings } = this.#scene;
    const { history, ledger } = findings;
    const owed = new Map(ledger.owed);
    const bookings = new Map<string, string>();
    for (const [id, { status }] of history?.bookings ?? []) bookings.set(id, status);
    for (const [id, { data }] of ledger.bookings) bookings.set(id, data.status);
    for (const [id, status] of bookings) if (status === 'confirmed') owed.set(`voucher_delivered ${id}`, 1);
    if (!peers.haveAll(owed)) return false;
    for (const [key, count] of owed) {
      const [event, id = ''] = key.split(' ');
      if (event === 'booking_modified' && count > 0 && bookings.get(id) === 'confirmed' && !(await mailed(service, id)))
        return false;
    }
    return true;
  }

  #begin(clock: ClockFile | null = null): Cast {
    const { stage, peers } = this.#scene;
    const settings: LifeSettings = {
      ...TIMES,
      ...stage.settings,
      SMTP_URL: peers.mail.url,
      MAIL_WAIT_MS: this.#random.pick(MAIL_WAITS_MS),
      // The same in every life, so that a booking is the same text in every life.
      PUBLIC_URL: 'https://waymark.example',
      ...(clock === null ? {} : { WAYMARK_TEST_CLOCK: clock.path }),
    };
    return stage.begin(settings);
  }

  async #started(cast: Cast): Promise<{ readonly service: Service; readonly startedMs: number }> {
    const service = await this.#answering(cast);
    const startedMs = Date.now();
    const { findings } = this.#scene;
    const known = [...findings.ledger.bookings.values()];
    const older = known.slice(0, this.#asked);
    const sample = Array.from({ length: Math.min(SAMPLE, older.length) }, () =>
      older.splice(this.#random.whole(0, older.length - 1), 1),
    ).flat();
    findings.add(...(await auditAnswers(service, findings.ledger, [...known.slice(this.#asked), ...sample])));
    this.#asked = known.length;
    return { service, startedMs };
  }

  async #answering(cast: Cast): Promise<Service> {
    const { findings, peers } = this.#scene;
    const sinceMs = performance.now();
    const entrance = await cast.answering();
    findings.slowestStartMs = Math.max(findings.slowestStartMs, performance.now() - sinceMs);
    this.#account ??= await openAccount(entrance, peers.webhook);
    return { ...this.#account, url: () => entrance.url(), adminToken: entrance.adminToken };
  }

  /** @param moment null in the last life, where nothing new is asked */
  #load(service: Service, moment: Moment | null): Load {
    const { stage, findings } = this.#scene;
    const { clients, restMs, budget, longBudget } = stage.load;
    const most = moment === 'at a checkpoint' ? longBudget : budget;
    return new Load({
      service,
      ledger: findings.ledger,
      sale: stage.sale,
      random: this.#random,
      clients,
      restMs,
      budget: moment === null ? 0 : most,
      daysAhead: findings.lives,
    });
  }
}

function since(fromMs: number): Life {
  return { fromMs, toMs: Date.now() };
}
