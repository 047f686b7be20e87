import { Elysia } from 'elysia';
import type { ActivityDocument } from '../../../projections/activities/read-model.ts';
import { unknownActivity } from '../../application/activity/unknown-activity.ts';
import { serviceUnavailable } from '../../application/refusal.ts';
import type { CityName } from '../../domain/activity/cities.ts';
import { findCity } from '../../domain/activity/find-place.ts';
import type { RefreshOutcome, SupplyStatus } from '../../supply/refresh.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import * as schema from './schema.ts';

export function refreshRoutes(context: HttpContext) {
  const { catalogue, supply } = context;
  return new Elysia({ name: 'supply-refresh', tags: ['Inventory'] }).use(access(context)).post(
    '/api/b2a/inventory/refresh',
    async ({ body, call }) => {
      const refreshed = await refreshInTime(context);
      if (refreshed.kind === 'refused') return call.refuse(refreshed);
      const city = body.city === undefined ? null : findCity(body.city);
      const activityId = body.activity_id ?? null;
      const entries = entriesOf(city, activityId, catalogue.values());
      if (activityId !== null && !entries.some(({ listed }) => listed)) {
        return call.refuse(unknownActivity(activityId, city, catalogue));
      }
      return success(presentRefresh({ refreshed, city, activityId, entries }, supply.status().confirmedAtMs));
    },
    {
      apiKey: 'inventory',
      body: schema.REFRESH_BODY,
      response: schema.REFRESHED_ANSWER,
      detail: schema.REFRESH_INVENTORY_DETAIL,
    },
  );
}

export function supplyRoutes(context: HttpContext) {
  const { catalogue, supply } = context;
  return new Elysia({ name: 'supply', tags: ['Operation'] })
    .use(access(context))
    .get('/api/ops/supply', () => success(presentSupply(supply.status(), catalogue.values())), {
      operator: true,
      response: schema.SUPPLY_ANSWER,
      detail: schema.SUPPLY_STATUS_DETAIL,
    });
}

/** Refreshes the catalogue. Refuses if the refresh fails or exceeds the time limit of a request. */
async function refreshInTime({ supply, clock, limits }: HttpContext) {
  const call = 'refresh of the catalogue';
  const deadline = { name: 'RESPONSE_DEADLINE_MS', ms: limits.responseMs };
  const finished = new AbortController();
  const refreshing = supply.refresh().finally(() => finished.abort());
  await clock.until(clock.nowMs() + deadline.ms, finished.signal);
  const refreshed = finished.signal.aborted ? await refreshing : null;
  if (refreshed === null) return serviceUnavailable('the catalogue is being refreshed', { call, deadline });
  if (refreshed.kind === 'failed')
    return serviceUnavailable('the catalogue cannot be refreshed now', { call, fault: supply.status().failure });
  return refreshed;
}

/** The entries that a request selects; without a city, those of all cities. */
function entriesOf(
  city: CityName | null,
  activityId: string | null,
  entries: Iterable<ActivityDocument>,
): readonly ActivityDocument[] {
  return [...entries].filter(
    ({ activity }) => (city === null || activity.city === city) && (activityId === null || activity.id === activityId),
  );
}

type RefreshView = {
  readonly refreshed: RefreshOutcome;
  readonly city: CityName | null;
  readonly activityId: string | null;
  /** The entries that the request selects, including retired ones. */
  readonly entries: readonly ActivityDocument[];
};

/** The outcome of a refresh, for the selected entries. `confirmedAtMs` is in ms since the epoch. */
function presentRefresh({ refreshed, city, activityId, entries }: RefreshView, confirmedAtMs: number) {
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
function presentSupply(
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
