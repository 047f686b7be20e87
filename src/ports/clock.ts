/** The only source of time, so that tests can move it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number;
  /** Resolves when `nowMs()` has reached the time, or `signal` aborts. */
  until(atMs: number, signal?: AbortSignal): Promise<void>;
}
