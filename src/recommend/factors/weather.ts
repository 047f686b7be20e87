import type { Conditions } from '../../domain/activity/conditions.ts';
import type { Setting } from '../../domain/activity/vocabulary.ts';

/** What a roof is worth in the best weather, when one would rather be outside. */
const INDOORS_IN_FINE_WEATHER = 0.7;

/** From the first value on it is felt, at the second it is as bad as it gets. */
const HEAT_C = { from: 32, worst: 42 };
const COLD_C = { from: 16, worst: 4 };
const WIND_KMH = { from: 20, worst: 60 };

/** Rain can spoil a visit outside altogether, heat, cold and wind only in part. */
const WORST_TEMPERATURE = 0.6;
const WORST_WIND = 0.6;

type Weather = Pick<Conditions, 'temperatureC' | 'precipitationProbability' | 'windKmh'>;

/**
 * How bad it is outside, in [0,1]: each of rain, heat or cold, and wind takes its share of what is left of the pleasure,
 * 1 − (1 − rain)(1 − 0.6 · temperature)(1 − 0.6 · wind). Rain is its probability; heat grows from 32 to 42 °C, cold from 16
 * down to 4 °C, wind from 20 to 60 km/h.
 */
export function harshness({ temperatureC, precipitationProbability, windKmh }: Weather): number {
  const temperature = Math.max(ramp(temperatureC, HEAT_C), ramp(temperatureC, COLD_C));
  const left =
    (1 - precipitationProbability) * (1 - WORST_TEMPERATURE * temperature) * (1 - WORST_WIND * ramp(windKmh, WIND_KMH));
  return Math.min(1, Math.max(0, 1 - left));
}

/**
 * How pleasant it is outside during a visit, in [0,1]: 1 − harshness, as the mean over its hours.
 *
 * @param hours the conditions at each hour of the visit, at least one
 */
export function pleasantness(hours: readonly Weather[]): number {
  return 1 - hours.reduce((sum, hour) => sum + harshness(hour), 0) / hours.length;
}

/**
 * How well the weather suits an activity, in [0,1]. Outside it is how pleasant it is there. Inside it is 1 − 0.3 of that,
 * so at least 0.7: a roof is always good and best when it is needed. Where an activity is both, it is the mean of the two.
 * So the worse it gets outside, the more is inside put before outside, and in fine weather the other way round.
 *
 * @param outside how pleasant it is outside during the visit
 */
export function weatherFactor(setting: Setting, outside: number): number {
  const inside = 1 - (1 - INDOORS_IN_FINE_WEATHER) * outside;
  if (setting === 'outdoor') return outside;
  return setting === 'indoor' ? inside : (outside + inside) / 2;
}

/** 0 up to `from`, 1 beyond `worst`, in a straight line between; either may be the greater one. */
function ramp(value: number, { from, worst }: { readonly from: number; readonly worst: number }): number {
  return Math.min(1, Math.max(0, (value - from) / (worst - from)));
}
