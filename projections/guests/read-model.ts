import type { GuestDetails } from '../../src/domain/guest/guest.ts';
import type { BookingId, Fingerprint } from '../../src/domain/ids.ts';

/** A record of a guest's data, keyed by its claim. The only read model with personal data. */
export type GuestDocument = GuestDetails & {
  /** Keyed fingerprint of the details; a booking names it. */
  readonly fingerprint: Fingerprint;
  readonly bookingId: BookingId;
  /** When the data was recorded, ISO 8601 UTC. */
  readonly recordedAt: string;
  /** What a search finds the record by; personal data too. */
  readonly terms: readonly string[];
};
