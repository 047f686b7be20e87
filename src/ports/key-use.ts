/** What became of a request: answered, refused with a 4xx, failed with a 5xx. */
export type Outcome = 'ok' | 'refused' | 'failed';

/** Requests by endpoint (the `operationId` of the API reference) and outcome. */
export type Use = ReadonlyMap<string, Readonly<Record<Outcome, number>>>;

/** What one run of one node answered to a key on a day (days since the epoch, UTC), from its start on. */
export type UseOfRun = { readonly run: string; readonly key: string; readonly day: number; readonly use: Use };

/**
 * How keys were used, by day. Contract: what was put stays; the same run puts its whole count anew, so that a repetition
 * changes nothing. A fault (disk, network) is thrown.
 */
export interface KeyUse {
  /** Replaces what these runs had of these keys and days. */
  put(uses: readonly UseOfRun[]): Promise<void>;
  /** What each run had of a key on a day; in no order. */
  of(key: string, day: number): Promise<readonly UseOfRun[]>;
  /** Forgets every day before this one. */
  forgetBefore(day: number): Promise<void>;
  close(): Promise<void>;
}
