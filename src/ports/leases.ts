/** What is to be done by one holder at a time, who wants to do it, and for how long (from now on). */
export type LeaseRequest = { readonly name: string; readonly holder: string; readonly ttlMs: number };

/**
 * `acquired`: nobody had it, or whoever did let it run out. `renewed`: the holder has it still. `lost`: another has it.
 * `untilMs` is on the clock of whoever took the lease (ms since the epoch). From then on it is too late.
 */
export type Leasing =
  | { readonly kind: 'acquired' | 'renewed'; readonly token: number; readonly untilMs: number }
  | { readonly kind: 'lost'; readonly holder: string; readonly untilMs: number };

/** By how much the clocks of two nodes may differ. So long after its end a lease goes to nobody but its holder. */
export const CLOCK_SKEW_MS = 2_000;

/**
 * Who runs what. A lease is taken, kept by taking it again before `untilMs`, and let go or left to run out. Contract: as
 * long as no two clocks differ by more than CLOCK_SKEW_MS, no moment is before the `untilMs` of two holders. `token`, from
 * 1 on, is greater by one for each new holder of a name, for ever: what is written with an older token can be told from
 * what is written with this one. A lease says who should be working, and not that nobody else still is: what a slow holder
 * writes after its end must be harmless, or be refused by its token. Holders' names are never used again by another run of
 * a process. A fault (disk, network) is thrown; then the lease may have been taken, and is as good as lost.
 */
export interface Leases {
  /** @throws RangeError where ttlMs is no whole number above 0 */
  take(request: LeaseRequest): Promise<Leasing>;
  /**
   * Of these leases those that somebody has, in no particular order: one that ran out is had until others may take it, by
   * the clock of who asks.
   */
  held(names: readonly string[]): Promise<readonly { readonly name: string; readonly holder: string }[]>;
  /** Lets a lease go before its end. Nothing happens where the holder has it no longer, or the token is an older one. */
  release(held: { readonly name: string; readonly holder: string; readonly token: number }): Promise<void>;
  close(): Promise<void>;
}

/** @throws RangeError */
export function assertTtl({ ttlMs }: LeaseRequest): void {
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 1)
    throw new RangeError(`a lease is taken for 1 ms or more, not ${ttlMs}`);
}
