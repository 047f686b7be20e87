/** Whether a reader of the log in this process lacks nothing that was in the log a second ago (docs/decisions/0055). */
export type Currency = {
  /** Costs one comparison while the last proof is fresh; otherwise it starts a read of the log in the background. */
  current(): boolean;
  /** Waits for a proof. False without one within some seconds: the log is unreachable, or the reader is behind. */
  confirmed(): Promise<boolean>;
};

/** Of readers of a log that no other process writes. */
export const ALWAYS_CURRENT: Currency = { current: () => true, confirmed: () => Promise.resolve(true) };
