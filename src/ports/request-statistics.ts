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

/**
 * Requests by key and day. Contract: stored counts are durable; a run stores its whole count each time, so a repetition
 * changes nothing. Faults (disk, network) are thrown.
 */
export interface RequestStatisticsStore {
  /** Replaces the counts of these runs, keys and days. */
  put(counted: readonly RunCounts[]): Promise<void>;
  /** The counts of each run, in no particular order. */
  of(key: string, day: number): Promise<readonly RunCounts[]>;
  /** Deletes every day before this one. */
  forgetBefore(day: number): Promise<void>;
  close(): Promise<void>;
}
