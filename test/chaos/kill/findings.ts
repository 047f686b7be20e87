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
  /** What befell parts of the service while the rest went on, by kind. */
  readonly accidents: Readonly<Record<string, number>>;
  readonly events: number;
  readonly bookingsInLog: number;
  readonly abandoned: number;
  readonly peers: PeerFigures;
  readonly leftAloneMs: number;
  readonly slowestStartMs: number;
  readonly seconds: number;
};

/** One life as it is examined: when it answered requests, in one piece or between accidents, and what it said. */
export type Ended = { readonly pieces: readonly Life[]; readonly words: readonly Words[] };

/**
 * What a slow machine may take longer than the reaper's interval, beside as much as it takes for a start; the proof is
 * that the time is bounded.
 */
const MARGIN_MS = 2_000;

/** What was found so far: what clients were told, what the log says after each end, and every fault in words. */
export class Findings {
  readonly ledger = new Ledger();
  slowestStartMs = 0;
  /** What one life broke is found again after each that follows, and told once. */
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

  /** @param reaperMs how often the service looks for claims to give back */
  constructor(stage: Stage, peers: Peers, reaperMs: number) {
    this.#stage = stage;
    this.#peers = peers;
    this.#allowedMs = reaperMs + MARGIN_MS + stage.standInMs;
  }

  get faults(): readonly string[] {
    return [...this.#faults, ...this.ledger.faults, ...this.#peers.faults];
  }

  /** The log as the last life left it; null before. */
  get history(): History | null {
    return this.#found?.history ?? null;
  }

  /** How many lives have ended. */
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
    const told = `${peers.mails} mails (${peers.cutOff.mails} cut off), ${peers.events} events (${peers.cutOff.attempts} cut off)`;
    return `${confirmed} confirmed, ${changed}, ${soldOut} sold out, ${unanswered} unanswered, ${sentAgain} sent again, ${verified} verified, ${abandoned} claims abandoned, ${told}, ${events} in the log, ${this.faults.length} faults (${seconds} s)`;
  }

  add(...faults: readonly string[]): void {
    for (const fault of faults) this.#faults.add(fault);
  }

  /** @param kind what befell a part of the service */
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

  /** Of the life before. Not at its very end: what it had sent is still read while it is examined. */
  countCutOff(): void {
    if (this.#found === null) return;
    this.add(...this.#peers.count(this.#found, { number: this.#lives, interruptions: this.#interruptions }));
  }
}

/** An unavailable engine is not a fault of the service. */
const AWAY = /"fault":\{"type":"\w*Unavailable"/;

/** The runtime says so of a timer in a package whose time has just passed, and lets it ring at once. */
const TIMER = /TimeoutNegativeWarning: |^Timeout duration was set to 1\.$|--trace-warnings/;

/** What a process said: nothing of guests, and of no fault. */
function auditWords({ stdout, stderr }: Words): string[] {
  const guests = marksIn(stdout.text + stderr.text).map((mark) => `the service told its log of ${mark}`);
  const failures = stdout.lines.filter((line) => /^\{"level":[56]0,/.test(line) && !AWAY.test(line));
  const complaints = [...failures, ...stderr.lines.filter((line) => !TIMER.test(line))];
  return [...guests, ...complaints.map((line) => `the service complained: ${line}`)];
}
