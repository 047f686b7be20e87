/** How many requests a key may make in any 60 seconds, and on a day in UTC. */
export type UsageLimits = { readonly perMinute: number; readonly perDay: number };

/**
 * One limit, what was used of it (more than the limit, where a key was moved to a smaller plan), and what is left.
 * `resetMs` is how long it takes until more of it is left.
 */
export type Allowance = {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  readonly resetMs: number;
};

/**
 * The minute slides: a request counts for 60 s, at whose end it no longer does; `resetMs` is 0 where none counts. The
 * day ends at midnight UTC.
 */
export type Usage = { readonly minute: Allowance; readonly day: Allowance };

/** A refusal takes nothing: one for the rate uses no quota, one for the quota no place in the minute. */
export type Taking =
  | { readonly kind: 'taken'; readonly usage: Usage }
  | { readonly kind: 'rate-limited' | 'quota-exceeded'; readonly usage: Usage; readonly retryAfterMs: number };

/** Whether a request counts for the day as well. One that is let through past the quota counts for its minute alone. */
export type Counting = 'minute and day' | 'minute alone';

/**
 * How often each key was used. Contract: of all takings of a key that were answered `taken`, no 60 s hold more than
 * `perMinute` and no day holds more than `perDay`; and none is refused while both have room. The rate is looked at
 * first. A taking that was answered is kept when the process is killed. The limits come with each call, since a key's
 * plan may change: what was taken stays taken. `atMs` is in ms since the epoch; where a clock was set back, what lies
 * ahead of it counts as taken now. A fault (disk, network) is thrown, and then nothing was taken,
 * unless a server was lost while it answered: what it had stored by then counts. Several nodes' clocks may differ by 5 s.
 */
export interface UsageCounters {
  take(key: string, limits: UsageLimits, atMs: number, counting?: Counting): Promise<Taking>;
  /** The same, without taking anything. */
  peek(key: string, limits: UsageLimits, atMs: number): Promise<Usage>;
  close(): Promise<void>;
}
