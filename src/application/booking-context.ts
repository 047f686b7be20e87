import type { Activity, HotelId } from '../domain/activity/activity.ts';
import type { Hotel } from '../domain/activity/hotel.ts';
import type { Clock } from '../ports/clock.ts';
import type { Digest } from '../ports/digest.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { InFlight } from './in-flight.ts';
import type { Streams } from './streams.ts';

export type CatalogueEntry = {
  readonly activity: Activity;
  readonly revision: number;
  readonly listed: boolean;
  /** ISO 8601 UTC. */
  readonly updatedAt: string;
};

/** The catalogue as the application asks it: entries by id, from memory. */
export type Catalogue = { get(id: string): CatalogueEntry | undefined };

export type BookingLimits = {
  /** How many days ahead of the city's today a booking date may lie. */
  readonly daysAhead: number;
  /** How long a request may work at a booking. */
  readonly responseMs: number;
  /**
   * When others may see to what an attempt left behind, a claim or a booking that it started: longer than `responseMs` and
   * any clock skew between nodes.
   */
  readonly claimMs: number;
  /** How long slots and price are kept for who has not booked yet. */
  readonly holdMs: number;
  /** How long a venue may take to answer a booking that it confirms on request; at most until the date's last entry. */
  readonly onRequestMs: number;
};

/** What the use cases around bookings work with. */
export type BookingContext = {
  readonly streams: Streams;
  readonly catalogue: Catalogue;
  /** By their ids, as the catalogue has them now. */
  readonly hotels: () => ReadonlyMap<HotelId, Hotel>;
  readonly inFlight: InFlight;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly digest: Digest;
  readonly log: Log;
  readonly limits: BookingLimits;
};
