const WIDTH = 30;
/** Interval between two lines, where the output is no terminal. */
const LINE_MS = 5_000;
const BAR_MS = 200;

export type ProgressOutput = { readonly isTTY?: boolean; write(text: string): unknown };

/** A terminal shows a bar that is overwritten; elsewhere a line follows every five seconds. */
export class ProgressBar {
  readonly #total: number;
  readonly #unit: string;
  readonly #output: ProgressOutput;
  readonly #nowMs: () => number;
  readonly #startedMs: number;
  #shownMs: number;

  /** @param unit what is counted, in the plural */
  constructor(total: number, unit: string, output: ProgressOutput, nowMs: () => number) {
    [this.#total, this.#unit, this.#output, this.#nowMs] = [total, unit, output, nowMs];
    [this.#startedMs, this.#shownMs] = [nowMs(), nowMs()];
  }

  /** @param note follows the number */
  show(done: number, note = ''): void {
    const nowMs = this.#nowMs();
    const terminal = this.#output.isTTY === true;
    if (nowMs - this.#shownMs < (terminal ? BAR_MS : LINE_MS)) return;
    this.#shownMs = nowMs;
    const perSecond = (done / (nowMs - this.#startedMs)) * 1_000;
    const left = perSecond > 0 ? `, ${minutes((this.#total - done) / perSecond)} left` : '';
    const counts = `${done} of ${this.#total} ${this.#unit}${note}, ${Math.round(perSecond)} ${this.#unit}/s${left}`;
    if (!terminal) return void this.#output.write(`${counts}\n`);
    const full = Math.round((WIDTH * done) / this.#total);
    // Erases the rest of a longer line.
    this.#output.write(`\r[${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}] ${counts}\u001b[K`);
  }

  /** Ends the line of the bar. */
  end(): void {
    if (this.#output.isTTY === true) this.#output.write('\n');
  }
}

function minutes(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
