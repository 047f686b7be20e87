/** Every limit of the actor system, in one place. Reaching one is an answer, never a loss. */
export type ActorLimits = {
  /** Messages waiting for one actor; one more is refused with `mailbox-full`. */
  readonly mailbox: number;
  /** Actors of one kind kept in memory; beyond it those idle for longest are passivated. Busy ones always stay. */
  readonly resident: number;
  /** An actor that got no message for so long is passivated, at the latest after twice as long. */
  readonly idleMs: number;
  /** How often idle actors and expired asks are looked for. */
  readonly sweepMs: number;
  /** After a fault an actor pauses so long before it starts again, doubling with each fault in a row … */
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
