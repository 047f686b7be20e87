/** The outcome of a request: answered, refused with a 4xx, failed with a 5xx. */
export type RequestOutcome = 'ok' | 'refused' | 'failed';

/** Number of requests by endpoint (the `operationId` of the API reference) and outcome. */
export type RequestCounts = ReadonlyMap<string, Readonly<Record<RequestOutcome, number>>>;

/** The requests of a key on a day (days since the epoch, UTC) that one run of a node has answered since its start. */
export type RunCounts = {
  readonly run: string;
  readonly key: string;
  readonly day: number;
  readonly counts: RequestCounts;
};

/** `lastAtMs`: when the last of these requests was answered (ms since the epoch). */
export type CountedRun = RunCounts & { readonly lastAtMs: number };

/**
 * Requests by key and day, and the last use of each key. Contract: stored counts are durable; a run stores its whole count
 * each time, so a repetition changes nothing. Faults (disk, network) are thrown.
 */
export interface RequestStatisticsStore {
  /** Replaces the counts of these runs, keys and days. The last use of a key is the latest that was ever put. */
  put(counted: readonly CountedRun[]): Promise<void>;
  /** The counts of each run and key, in no particular order. */
  of(keys: readonly string[], day: number): Promise<readonly RunCounts[]>;
  /** The last use of each of these keys that was ever used (ms since the epoch). */
  lastUses(keys: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Deletes the counts of every day before this one. Last uses stay. */
  forgetBefore(day: number): Promise<void>;
  close(): Promise<void>;
}
