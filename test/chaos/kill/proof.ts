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
import { caughtUp, learnt, mailed, settled } from './settle.ts';
import type { Cast, LifeSettings, Stage } from './stage.ts';
import { auditBytes } from './stopped.ts';

export type Proof = {
  readonly seed: number;
  /** The engines and processes of the service. */
  readonly stage: () => Promise<Stage>;
  readonly moments: readonly Moment[];
  /** Number of accidents of parts of the service in each life, if possible. */
  readonly accidents: number;
  readonly progress: (line: string) => void;
};

const REAPER_MS = 100;
const TIMES = { REAPER_INTERVAL_MS: String(REAPER_MS), WEBHOOK_TIMEOUT_MS: '500', HOLD_MINUTES: '1' };

/** A start is killed at a random time within the slowest start so far, at least within this time. */
const START_MS = 300;
/** The kill follows within this time after its moment. */
const LONGEST_AFTER_MS = 15;
/** Maximum number of answers before an accident of a part of the service. */
const MOST_BEFORE_ACCIDENT = 120;
/** The time after a start in which the service detects and repeats interrupted work. */
const CATCHING_UP_MS = 150;
/** Longer than the intervals of process managers: the jump ends every wait for an interval. */
const LEAP_MS = 1_000;
/** Whether answers to bookings wait for their mails. */
const MAIL_WAITS_MS = ['0', '200'] as const;
/** Number of earlier bookings that are read after each start; at the end all are read. */
const SAMPLE = 50;
const SETTLED_MS = 30_000;
/** The peers are idle after this time without an arrival. */
const STILL_MS = 15_000;

/**
 * Kills a real service repeatedly under load. Audits its stores after each kill and its answers after each start. A mail
 * server and a webhook receiver survive the kills and compare arrivals with the log; both sometimes misbehave, so that retries
 * are in progress, too. Returns every fault as text, and the figures of the run.
 *
 * The service uses the machine's time, except in two kinds of life: one that is killed while catching up has a clock that
 * stands still for about a second and jumps; the last one's clock is advanced, so that the test need not wait for retries.
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

  /** One life of the service, from its start to its kill. */
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

  /** Under load, kills or pauses parts of the service, which then continue. */
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
   * Kills it while it repeats interrupted work, before new requests. Its clock stands still until then and jumps, so that
   * intervals end and checkpoints are stored during that work.
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
    // From here on the clock runs faster than the service works, so a wait of the clock says nothing about the service.
    const answering = since(startedMs);
    // The second time, every hold has expired.
    await clock.hurry();
    await clock.hurry();
    const idle = await eventually(async () => history === null || settled(service, history, ledger), SETTLED_MS);
    if (!idle) findings.add(`the inventory is not that of the bookings after ${SETTLED_MS} ms`);
    const allOut = await beforeStandstill(
      async () => (await this.#allOut(service)) && (await nothingRetrying(service)),
      () => peers.arrivals,
      STILL_MS + stage.standInMs,
    );
    if (!allOut) findings.add('not every pending mail and event has arrived');
    if (!(await eventually(() => learnt(service, ledger), SETTLED_MS)))
      findings.add(`the ranking has not learnt from every visit after ${SETTLED_MS} ms`);
    if (!(await eventually(() => caughtUp(service), SETTLED_MS)))
      findings.add(`the read models are behind the log after ${SETTLED_MS} ms`);
    findings.add(...(await auditAnswers(service, ledger, [...ledger.bookings.values()])));
    findings.add(...(await auditDeliveryLog(service, peers.webhook)));
    for (const exitCode of await cast.terminate())
      if (exitCode !== 0) findings.add(`the last life ended with code ${exitCode}`);
    const end = await findings.examine({ pieces: [answering], words: cast.words });
    findings.add(...auditSettled(end.history, ledger, end.erased), ...auditBytes(await stage.bytes(), end.history));
    findings.countCutOff();
    findings.add(...auditAllOut(end.history, end.outbound));
  }

  /** Whether the receiver got all known events, and the last voucher of every booking was mailed. */
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
      // The same in every life, so that answers are equal.
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

  /** @param moment null in the last life, which gets no new requests */
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
