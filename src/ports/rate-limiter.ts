/** How many requests a key may make in any 60 seconds, and on a day in UTC. */
export type UsageLimits = { readonly perMinute: number; readonly perDay: number };

/**
 * One limit, its use (above the limit if a key moved to a smaller plan), and what remains. `resetMs` is the time until
 * more remains.
 */
export type Allowance = {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  readonly resetMs: number;
};

/**
 * The minute is a sliding window: a request counts for 60 s, end exclusive; `resetMs` is 0 if none counts. The day ends at
 * midnight UTC.
 */
export type Usage = { readonly minute: Allowance; readonly day: Allowance };

/** A refused request counts for neither limit. */
export type Taking =
  | { readonly kind: 'taken'; readonly usage: Usage }
  | { readonly kind: 'rate-limited' | 'quota-exceeded'; readonly usage: Usage; readonly retryAfterMs: number };

/** Whether a request counts for the day too. One that is allowed beyond the quota counts for its minute only. */
export type Counting = 'minute and day' | 'minute alone';

/**
 * The rate limits of each key. Contract: of the requests answered `taken`, no 60 s hold more than `perMinute` and no day
 * holds more than `perDay`; none is refused while both limits have room. The rate is checked first. An answered request
 * survives a kill of the process. The limits come with each call, since a key's plan may change: earlier requests still
 * count. `atMs` is in ms since the epoch; if a clock was set back, later instants count as now. Faults (disk, network) are
 * thrown, and the request does not count then, unless the server was lost after it had stored the count. The clocks of nodes
 * may differ by 5 s.
 */
export interface RateLimiter {
  take(key: string, limits: UsageLimits, atMs: number, counting?: Counting): Promise<Taking>;
  /** The same without counting. */
  peek(key: string, limits: UsageLimits, atMs: number): Promise<Usage>;
  close(): Promise<void>;
}
