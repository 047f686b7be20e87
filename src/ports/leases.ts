/**
 * What became of an attempt to take a lease or to renew it. `token` grows with every change of holder, so that who was
 * away for long can be told from who came after.
 */
export type Leasing =
  | { readonly kind: 'held'; readonly token: number }
  /** Another holder has it for at most so long, if it does not renew it. */
  | { readonly kind: 'taken'; readonly holder: string; readonly leftMs: number };

/**
 * Who does what must be done by one node at a time. Contract: no two holders have a lease of one name at the same time, as
 * long as their clocks agree to `skewMs`.
 */
export interface Leases {
  /** Takes the lease where nobody has it, or its time is over; renews it where `holder` has it. */
  acquire(name: string, holder: string, ttlMs: number): Promise<Leasing>;
  /** Gives it back, so that another one need not wait until its time is over. Nothing happens where `holder` has it not. */
  release(name: string, holder: string): Promise<void>;
  close(): Promise<void>;
}
