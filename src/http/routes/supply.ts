import { Type } from 'typebox';
import { refused, serviceUnavailable } from '../../application/refusal.ts';
import { findCity } from '../../domain/activity/cities.ts';
import type { HttpContext } from '../context.ts';
import { REFRESH, SUPPLY } from '../declarations/supply.ts';
import { endpoint } from '../endpoint.ts';
import { form, optional } from '../form.ts';
import { faultOfCity } from '../known-city.ts';

const refreshShape = form(
  {
    city: optional(Type.String({ minLength: 1, maxLength: 80 }), 'the name of a city', 'INVALID_CITY'),
    activity_id: optional(Type.String({ minLength: 1, maxLength: 80 }), 'an activity id'),
  },
  { city: ({ city }) => (typeof city === 'string' ? faultOfCity(city) : null) },
);

/** POST /api/b2a/inventory/refresh: all is looked at, and told of what was asked for. */
export function refreshInventory(context: HttpContext) {
  return endpoint(context, REFRESH, refreshShape, async ({ fields }) => {
    const { catalogue, supply, clock, limits } = context;
    const tooLate = new AbortController();
    const refreshing = supply.refresh().finally(() => tooLate.abort());
    await clock.until(clock.nowMs() + limits.responseMs, tooLate.signal);
    const refreshed = tooLate.signal.aborted ? await refreshing : null;
    if (refreshed === null) return serviceUnavailable('the catalogue is being refreshed');
    if (refreshed.kind === 'failed') return serviceUnavailable('the catalogue cannot be refreshed now');
    const { city: cityName, activity_id: activityId } = fields;
    const city = cityName === null ? null : findCity(cityName);
    const meant = [...catalogue.values()].filter(
      ({ activity }) =>
        (city === null || activity.city === city) && (activityId === null || activity.id === activityId),
    );
    const listed = meant.filter((entry) => entry.listed);
    if (activityId !== null && listed.length === 0) {
      const where = city === null ? '' : ` in ${city}`;
      const message = `activity_id "${activityId}" does not exist${where}; take one from inventory.`;
      return refused('ACTIVITY_NOT_FOUND', message);
    }
    return {
      kind: 'data',
      data: {
        refreshed: refreshed.kind === 'confirmed',
        city,
        activity_id: activityId,
        activities: listed.length,
        changed: meant.filter(({ activity }) => refreshed.changed.has(activity.id)).length,
        last_updated: new Date(supply.status().confirmedAtMs).toISOString(),
      },
    };
  });
}

/** GET /api/ops/supply: what this node goes by, and what is wrong with the files. */
export function supplyStatus(context: HttpContext) {
  return endpoint(context, SUPPLY, null, () => {
    const { supply, confirmedAtMs, lookedAtMs, faults, failure } = context.supply.status();
    const data = {
      confirmed_at: new Date(confirmedAtMs).toISOString(),
      looked_at: new Date(lookedAtMs).toISOString(),
      faults,
      failure,
      activities: supply.activities.length,
      hotels: supply.hotels.size,
      exchange_rates_as_of: supply.exchangeRates.asOf,
      overridden: [...context.catalogue.values()].flatMap(({ activity, override }) =>
        override === null ? [] : [activity.id],
      ),
    };
    return { kind: 'data', data };
  });
}
