/** A lease by name, who takes it, and its duration from now. */
export type LeaseRequest = { readonly name: string; readonly holder: string; readonly ttlMs: number };

/**
 * `acquired`: the lease was free or had ended. `renewed`: the holder still held it. `lost`: another node holds it. `untilMs`
 * (ms since the epoch) is exclusive, on the clock of the node that took the lease.
 */
export type Leasing =
  | { readonly kind: 'acquired' | 'renewed'; readonly token: number; readonly untilMs: number }
  | { readonly kind: 'lost'; readonly holder: string; readonly untilMs: number };

/** A lease as operators see it: `sinceMs` is null if an earlier release gave it to its holder. */
export type LeaseStatus = {
  readonly name: string;
  readonly holder: string;
  readonly sinceMs: number | null;
  readonly untilMs: number;
};

/** A lease that a holder has taken, with its token. */
export type HeldLease = { readonly name: string; readonly token: number };

/** `untilMs`: the new end of the leases that were renewed. `lost`: the names of the others. */
export type Renewal = { readonly untilMs: number; readonly lost: ReadonlySet<string> };

/** Allowed difference between the clocks of two nodes. For this time after its end, only its holder can take a lease. */
export const CLOCK_SKEW_MS = 2_000;

/**
 * Which node runs which work. A node takes a lease, renews it by taking it again before `untilMs`, and releases it or lets
 * it end. Contract: while no two clocks differ by more than CLOCK_SKEW_MS, no instant is before the `untilMs` of two
 * holders. `token` starts at 1 and increases by one for each new holder of a name, for ever: a write with an older token can
 * be recognised. A lease does not prove that the last holder has stopped: what it writes after the end must be harmless, or
 * be refused by its token. No two runs of a process use the same holder name. Faults (disk, network) are thrown: the lease
 * may have been taken then, and counts as lost.
 */
export interface Leases {
  /** @throws RangeError if ttlMs is not a whole number above 0 */
  take(request: LeaseRequest): Promise<Leasing>;
  /**
   * Renews leases of one holder together. A lease that has ended is renewed too if no other node has taken it. It takes no
   * lease: one that is released, or has another holder or token, is lost.
   * @throws RangeError if ttlMs is not a whole number above 0
   */
  renew(held: readonly HeldLease[], by: Omit<LeaseRequest, 'name'>): Promise<Renewal>;
  /**
   * The held ones of these leases, in no particular order. By the caller's clock, an expired lease counts as held until
   * another node may take it.
   */
  held(names: readonly string[]): Promise<readonly { readonly name: string; readonly holder: string }[]>;
  /** All held leases, sorted by name. */
  list(): Promise<readonly LeaseStatus[]>;
  /** Ends a lease early. Does nothing if the holder no longer holds it, or the token is older. */
  release(held: HeldLease & { readonly holder: string }): Promise<void>;
  close(): Promise<void>;
}

/** @throws RangeError */
export function assertTtl({ ttlMs }: Pick<LeaseRequest, 'ttlMs'>): void {
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 1)
    throw new RangeError(`a lease is taken for 1 ms or more, not ${ttlMs}`);
}
