import type { Conditions } from '../../domain/activity/conditions.ts';
import type { Setting } from '../../domain/activity/vocabulary.ts';

/** Score of an indoor activity in perfect weather, when guests prefer to be outdoors. */
const INDOORS_IN_FINE_WEATHER = 0.7;

/** The penalty grows linearly from 0 at `from` to its maximum at `worst`. */
const HEAT_C = { from: 32, worst: 42 };
const COLD_C = { from: 16, worst: 4 };
const WIND_KMH = { from: 20, worst: 60 };

/** Maximum penalties. Certain rain has the penalty 1. */
const WORST_TEMPERATURE = 0.6;
const WORST_WIND = 0.6;

type Weather = Pick<Conditions, 'temperatureC' | 'precipitationProbability' | 'windKmh'>;

/**
 * How bad the weather is outdoors, in [0,1]: 1 − (1 − rain)(1 − 0.6 · temperature)(1 − 0.6 · wind). Rain is its probability;
 * heat grows from 32 to 42 °C, cold from 16 down to 4 °C, wind from 20 to 60 km/h.
 */
export function harshness({ temperatureC, precipitationProbability, windKmh }: Weather): number {
  const temperature = Math.max(ramp(temperatureC, HEAT_C), ramp(temperatureC, COLD_C));
  const left =
    (1 - precipitationProbability) * (1 - WORST_TEMPERATURE * temperature) * (1 - WORST_WIND * ramp(windKmh, WIND_KMH));
  return Math.min(1, Math.max(0, 1 - left));
}

/**
 * How pleasant the weather is outdoors during a visit, in [0,1]: 1 − the mean harshness of its hours.
 *
 * @param hours the conditions at each hour of the visit, at least one
 */
export function pleasantness(hours: readonly Weather[]): number {
  return 1 - hours.reduce((sum, hour) => sum + harshness(hour), 0) / hours.length;
}

/**
 * How well the weather fits an activity, in [0,1]. Outdoor: the pleasantness. Indoor: 1 − 0.3 · pleasantness, so at least
 * 0.7 and highest in bad weather. Mixed: the mean of the two. Bad weather favours indoor activities, good weather outdoor
 * ones.
 *
 * @param outside outdoor pleasantness during the visit
 */
export function weatherFactor(setting: Setting, outside: number): number {
  const inside = 1 - (1 - INDOORS_IN_FINE_WEATHER) * outside;
  if (setting === 'outdoor') return outside;
  return setting === 'indoor' ? inside : (outside + inside) / 2;
}

/** 0 up to `from`, 1 beyond `worst`, linear in between. `from` can be greater than `worst`. */
function ramp(value: number, { from, worst }: { readonly from: number; readonly worst: number }): number {
  return Math.min(1, Math.max(0, (value - from) / (worst - from)));
}
