import type { Position } from '../eventsourcing/message.ts';
import type { ProgressOutput } from './generate/progress-bar.ts';

/** How far a pass over the log is; `events` is null if another node than the one that answers counts them. */
export type LogProgress = {
  readonly events: number | null;
  readonly position: Position | string;
  readonly head: Position | string;
};

/** Interval between two lines, where the output is no terminal. */
const LINE_MS = 2_000;
const BAR_MS = 100;
const BAR_WIDTH = 30;

/** How far passes over the log are: a bar that is overwritten in a terminal, elsewhere a line every two seconds. */
export class LogProgressLine {
  readonly #passes = new Map<string, LogProgress>();
  readonly #startedMs = performance.now();
  readonly #output: ProgressOutput;
  #shownMs = Number.NEGATIVE_INFINITY;

  constructor(output: ProgressOutput = process.stdout) {
    this.#output = output;
  }

  /** @param name what the pass is for */
  show(name: string, progress: LogProgress): void {
    this.#passes.set(name, progress);
    const [nowMs, terminal] = [performance.now(), this.#output.isTTY === true];
    if (nowMs - this.#shownMs < (terminal ? BAR_MS : LINE_MS)) return;
    this.#shownMs = nowMs;
    const all = [...this.#passes.values()];
    const part = Math.min(
      ...all.map(({ position, head }) => Math.min(1, placeOf(position) / Math.max(1, placeOf(head)))),
    );
    const events = all.reduce((sum, one) => sum + (one.events ?? 0), 0);
    const perSecond = Math.round((events / (nowMs - this.#startedMs)) * 1_000);
    const counts = all.every((one) => one.events === null) ? '' : `, ${events} events, ${perSecond} events/s`;
    const line = `${Math.floor(part * 100)} %${counts} (${[...this.#passes.keys()].join(', ')})`;
    const full = Math.round(BAR_WIDTH * part);
    // Erases the rest of a longer line.
    const bar = `\r[${'#'.repeat(full)}${'.'.repeat(BAR_WIDTH - full)}] ${line}\u001b[K`;
    this.#output.write(terminal ? bar : `${line}\n`);
  }

  /** Ends the line of the bar. */
  end(): void {
    if (this.#output.isTTY === true && this.#passes.size > 0) this.#output.write('\n');
  }
}

/** The API writes positions as text; EventStoreDB's have two parts. */
function placeOf(position: Position | string): number {
  return Number(String(position).split('/')[0]);
}
