import type { Position } from '../eventsourcing/message.ts';

/** An erasure: the booking whose guest was erased, and the place of its GuestErased. No personal data. */
export type Erasure = {
  readonly booking: string;
  readonly position: Position;
  /** When it was requested, ISO 8601 UTC. */
  readonly at: string;
};

/**
 * The erasures, kept apart from the event store: an older copy of the log that is restored does not know the later ones
 * (docs/decisions/0088). Contract: one entry per booking; an entry that `record` has answered survives a power failure, and
 * none is ever deleted. Faults (disk, network) are thrown; the outcome is unknown then, and a repetition is harmless.
 */
export interface ErasureLedger {
  /** Adds the entry, or gives the booking's entry the place in the present log. */
  record(erasure: Erasure): Promise<void>;
  /** The entry of a booking; null if it has none. */
  of(booking: string): Promise<Erasure | null>;
  /** All entries, the greatest position first. An entry that is recorded meanwhile may be missing. */
  newestFirst(): AsyncIterable<Erasure>;
  close(): Promise<void>;
}
