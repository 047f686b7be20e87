import type { ActivityDocument } from '../../../projections/activities/read-model.ts';
import type { CityName } from '../../domain/activity/cities.ts';
import type { RefreshOutcome, SupplyStatus } from '../../supply/refresh.ts';

type RefreshView = {
  readonly refreshed: RefreshOutcome;
  readonly city: CityName | null;
  readonly activityId: string | null;
  /** The entries that the request selects, including retired ones. */
  readonly entries: readonly ActivityDocument[];
};

/** The outcome of a refresh, for the selected entries. `confirmedAtMs` is in ms since the epoch. */
export function presentRefresh({ refreshed, city, activityId, entries }: RefreshView, confirmedAtMs: number) {
  return {
    refreshed: refreshed.kind === 'confirmed',
    city,
    activity_id: activityId,
    activities: entries.filter(({ listed }) => listed).length,
    changed: entries.filter(({ activity }) => refreshed.changed.has(activity.id)).length,
    last_updated: new Date(confirmedAtMs).toISOString(),
  };
}

/** @param entries the whole catalogue */
export function presentSupply(
  { supply, confirmedAtMs, checkedAtMs, faults, failure }: SupplyStatus,
  entries: Iterable<ActivityDocument>,
) {
  return {
    confirmed_at: new Date(confirmedAtMs).toISOString(),
    looked_at: new Date(checkedAtMs).toISOString(),
    faults,
    failure,
    activities: supply.activities.length,
    hotels: supply.hotels.size,
    exchange_rates_as_of: supply.exchangeRates.asOf,
    overridden: [...entries].flatMap(({ activity, override }) => (override === null ? [] : [activity.id])),
  };
}
