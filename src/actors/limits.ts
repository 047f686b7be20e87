/** All limits of the actor system. A caller gets an answer when a limit is reached; no message is lost. */
export type ActorLimits = {
  /** Messages waiting for one actor; one more is refused with `mailbox-full`. */
  readonly mailbox: number;
  /** Actors of one kind in memory; beyond it the ones idle for longest are passivated. Busy ones stay. */
  readonly resident: number;
  /** An actor without a message for this time is passivated, at the latest after twice the time. */
  readonly idleMs: number;
  /** Interval of the sweep for idle actors and expired asks. */
  readonly sweepMs: number;
  /** Pause of an actor after a fault, doubled with each fault in a row … */
  readonly restartMs: number;
  /** … up to this. */
  readonly longestRestartMs: number;
};

export const ACTOR_LIMITS: ActorLimits = {
  mailbox: 2_000,
  resident: 20_000,
  idleMs: 60_000,
  sweepMs: 250,
  restartMs: 50,
  longestRestartMs: 5_000,
};
