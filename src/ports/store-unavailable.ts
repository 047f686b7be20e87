/** Names of the engines in faults and logs. */
export type Engine = 'event store' | 'read models' | 'usage counters' | 'leases' | 'snapshots' | 'erasure ledger';

/** A call that failed, and how far it came. */
export type FailedCall = {
  /** `append to booking-bk_1`, `ask of allotment-river-walk:2026-11-22`. */
  readonly call: string;
  /** The deadline that ended it; absent for other reasons. */
  readonly deadline?: { readonly name: string; readonly ms: number };
  readonly tookMs?: number;
  /** How often it was tried, or decided again after a conflict. */
  readonly attempts?: number;
};

/** Why a request cannot be answered. For the log only: callers do not see it. */
export type UnavailableCause = FailedCall & { readonly fault?: unknown };

/**
 * An engine could not be reached, refused temporarily, or did not answer in time. Adapters throw it if the same call can
 * succeed later; every other fault is a bug. The outcome of the call is unknown.
 */
export class StoreUnavailable extends Error {
  readonly engine: Engine;
  /** Null if the adapter does not know which port call it served. */
  readonly failed: FailedCall | null;

  constructor(engine: Engine, message: string, options: ErrorOptions & { readonly failed?: FailedCall } = {}) {
    const { failed = null, ...rest } = options;
    super(message, rest);
    this.name = 'StoreUnavailable';
    this.engine = engine;
    this.failed = failed;
  }
}

/** The fault as a cause: of the call that it names, else of `call`. */
export function causeOf(fault: unknown, call: string): UnavailableCause {
  const failed = fault instanceof StoreUnavailable ? fault.failed : null;
  return { ...(failed ?? { call }), fault };
}
