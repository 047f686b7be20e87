import type { InventoryDocument } from '../../../projections/inventory/read-model.ts';
import type { Activity, HotelId } from '../../domain/activity/activity.ts';
import type { ExchangeRates } from '../../domain/activity/exchange.ts';
import type { Hotel } from '../../domain/activity/hotel.ts';
import type { KeyLimits } from '../../domain/apikey/apikey.ts';
import type { KeyId } from '../../domain/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Digest } from '../../ports/digest.ts';
import type { DecodedEventStore } from '../../ports/event-store.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Log } from '../../ports/log.ts';
import type { SearchedCatalogue } from '../activity/unknown-activity.ts';
import type { ExposureContext } from '../exposure/counters.ts';
import type { InFlight } from '../in-flight.ts';
import type { Streams } from '../streams.ts';

export type CatalogueEntry = {
  readonly activity: Activity;
  readonly revision: number;
  readonly listed: boolean;
  /** ISO 8601 UTC. */
  readonly updatedAt: string;
};

/** Reads catalogue entries by id, from memory. */
export type Catalogue = { get(id: string): CatalogueEntry | undefined };

/** The present revision of an activity's catalogue entry; 0 if the catalogue never had it. */
export function revisionOf(id: string, catalogue: Catalogue): number {
  return catalogue.get(id)?.revision ?? 0;
}

export type BookingLimits = {
  /** How many days ahead of the city's today a booking date may lie. */
  readonly daysAhead: number;
  /** Deadline of a request's work on a booking. */
  readonly responseMs: number;
  /**
   * After this time the reaper may abandon an unnamed claim, and a started booking is finished by its process manager.
   * Longer than `responseMs` plus any clock skew between nodes.
   */
  readonly claimMs: number;
  /** Lifetime of a hold. */
  readonly holdMs: number;
  /** Deadline of the venue for a booking on request; never later than the date's last entry. */
  readonly onRequestMs: number;
};

/** What the limits on the spending of keys need. */
type SpendingContext = {
  /** From memory; null for an unknown key. */
  readonly limitsOf: (keyId: KeyId) => KeyLimits | null;
  readonly exchangeRates: () => ExchangeRates;
  readonly store: Pick<DecodedEventStore, 'read'>;
};

/** Dependencies of the booking use cases. */
export type BookingContext = {
  readonly streams: Streams;
  readonly catalogue: Catalogue & SearchedCatalogue;
  /** The allotments of today and later by id, from memory; none for a date without events. */
  readonly allotments: { get(id: string): InventoryDocument | undefined };
  /** Test allotments of today and yesterday by id, from memory. */
  readonly testAllotments: { get(id: string): InventoryDocument | undefined };
  /** The catalogue's present hotels, by id. */
  readonly hotels: () => ReadonlyMap<HotelId, Hotel>;
  /** The hotels that the operator allows for a key, from memory. */
  readonly hotelsOf: (keyId: KeyId) => readonly HotelId[];
  readonly inFlight: InFlight;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly digest: Digest;
  readonly log: Log;
  readonly limits: BookingLimits;
  readonly spending: SpendingContext;
  readonly exposure: ExposureContext;
};
