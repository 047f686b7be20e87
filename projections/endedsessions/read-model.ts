/** A session of the dashboard that its caller ended. */
export type EndedSessionDocument = {
  /** ISO 8601 UTC. */
  readonly endedAt: string;
};
