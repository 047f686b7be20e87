import { auditTold, type Life, longestLeftAlone } from './audit.ts';
import { auditOutbound } from './audit-outbound.ts';
import type { History } from './history.ts';
import { Ledger, type Tally } from './ledger.ts';
import type { Outbound } from './outbound.ts';
import type { PeerFigures, Peers } from './peers.ts';
import type { Stage, Words } from './stage.ts';
import { type Autopsy, autopsy, marksIn } from './stopped.ts';

export type Figures = Tally & {
  readonly kills: number;
  /** Accidents of parts of the service, by kind. */
  readonly accidents: Readonly<Record<string, number>>;
  readonly events: number;
  readonly bookingsInLog: number;
  readonly abandoned: number;
  readonly peers: PeerFigures;
  readonly leftAloneMs: number;
  readonly slowestStartMs: number;
  readonly seconds: number;
};

/** One life of the service: the times in which it answered requests, and its output. */
export type Ended = { readonly pieces: readonly Life[]; readonly words: readonly Words[] };

/**
 * Tolerance for a slow machine on top of the reaper's interval and the time of a start. The proof is that the time is
 * bounded.
 */
const MARGIN_MS = 2_000;

/** The findings so far: the clients' answers, the log after each kill, and every fault as text. */
export class Findings {
  readonly ledger = new Ledger();
  slowestStartMs = 0;
  /** Reports each fault once, although later lives find it again. */
  readonly #faults = new Set<string>();
  readonly #stage: Stage;
  readonly #peers: Peers;
  readonly #allowedMs: number;
  readonly #pieces: Life[] = [];
  readonly #accidents: Record<string, number> = {};
  readonly #beganMs = performance.now();
  #lives = 0;
  /** Of the last life. */
  #interruptions = 1;
  #found: Autopsy | null = null;

  /** @param reaperMs interval of the reaper */
  constructor(stage: Stage, peers: Peers, reaperMs: number) {
    this.#stage = stage;
    this.#peers = peers;
    this.#allowedMs = reaperMs + MARGIN_MS + stage.standInMs;
  }

  get faults(): readonly string[] {
    return [...this.#faults, ...this.ledger.faults, ...this.#peers.faults];
  }

  /** The log after the last life; null before. */
  get history(): History | null {
    return this.#found?.history ?? null;
  }

  /** Number of ended lives. */
  get lives(): number {
    return this.#lives;
  }

  get figures(): Figures {
    const history = this.history;
    const claims = [...(history?.claims.values() ?? [])];
    return {
      ...this.ledger.tally,
      kills: this.#lives - 1,
      accidents: this.#accidents,
      events: history?.events ?? 0,
      bookingsInLog: history?.bookings.size ?? 0,
      abandoned: claims.filter(({ abandoned }) => abandoned !== null).length,
      peers: this.#peers.figures,
      leftAloneMs: history === null ? 0 : longestLeftAlone(history, this.#pieces),
      slowestStartMs: Math.round(this.slowestStartMs),
      seconds: Math.round((performance.now() - this.#beganMs) / 1000),
    };
  }

  get counts(): string {
    const { confirmed, soldOut, unanswered, sentAgain, verified, abandoned, events, peers, seconds } = this.figures;
    const { heldBooked, modified, cancelled } = this.figures;
    const changed = `${heldBooked} with a hold, ${modified} modified, ${cancelled} cancelled`;
    const arrived = `${peers.mails} mails (${peers.cutOff.mails} cut off), ${peers.events} events (${peers.cutOff.attempts} cut off)`;
    return `${confirmed} confirmed, ${changed}, ${soldOut} sold out, ${unanswered} unanswered, ${sentAgain} sent again, ${verified} verified, ${abandoned} claims abandoned, ${arrived}, ${events} in the log, ${this.faults.length} faults (${seconds} s)`;
  }

  add(...faults: readonly string[]): void {
    for (const fault of faults) this.#faults.add(fault);
  }

  /** @param kind the accident of a part of the service */
  accident(kind: string): void {
    this.#accidents[kind] = (this.#accidents[kind] ?? 0) + 1;
  }

  /** Checks the log, the read models, the answers and the output of the processes after the end of a life. */
  async examine({ pieces, words }: Ended): Promise<Autopsy & { readonly outbound: Outbound }> {
    this.#lives += 1;
    this.#interruptions = pieces.length;
    this.#pieces.push(...pieces);
    await using left = await this.#stage.left();
    const found = await autopsy(left);
    this.#found = found;
    this.add(...auditOutbound(found.history, found.outbound, this.#peers));
    this.add(...found.faults, ...auditTold(found.history, this.ledger), ...words.flatMap(auditWords));
    const { leftAloneMs } = this.figures;
    if (leftAloneMs > this.#allowedMs + this.slowestStartMs)
      this.add(`a claim was left alone for ${leftAloneMs} ms past its time`);
    return found;
  }

  /** Of the previous life. Not at its end: peers still read what it had sent. */
  countCutOff(): void {
    if (this.#found === null) return;
    this.add(...this.#peers.count(this.#found, { number: this.#lives, interruptions: this.#interruptions }));
  }
}

/** An unavailable engine is not a fault of the service. */
const AWAY = /"fault":\{"type":"\w*Unavailable"/;

/** The runtime's warning about a timer in a package whose time has just passed. */
const TIMER = /TimeoutNegativeWarning: |^Timeout duration was set to 1\.$|--trace-warnings/;

/** Checks the output of a process: no personal data and no fault. */
function auditWords({ stdout, stderr }: Words): string[] {
  const guests = marksIn(stdout.text + stderr.text).map((mark) => `the service told its log of ${mark}`);
  const failures = stdout.lines.filter((line) => /^\{"level":[56]0,/.test(line) && !AWAY.test(line));
  const complaints = [...failures, ...stderr.lines.filter((line) => !TIMER.test(line))];
  return [...guests, ...complaints.map((line) => `the service complained: ${line}`)];
}
