import { HTTP_URL_OR_OFF, integer, milliseconds } from './formats.ts';
import { setting } from './setting.ts';

/** A part of `SETTINGS`. */
export const RECOMMENDATION_SETTINGS = {
  Recommendations: {
    explorationPercent: setting(
      'RECOMMEND_EXPLORATION_PERCENT',
      integer(0, 50, 'percent'),
      '10',
      'The share of answers in which recommend ranks one candidate as if its ground truth were 1, to learn about it. 0: never.',
      'recommend.md#exploration',
    ),
  },
  Weather: {
    openMeteoUrl: setting(
      'OPEN_METEO_URL',
      HTTP_URL_OR_OFF,
      'https://api.open-meteo.com',
      'The forecast service. `off`: recommend uses the typical weather of the month.',
      'operations.md#weather',
    ),
    weatherDeadlineMs: setting(
      'WEATHER_DEADLINE_MS',
      milliseconds(50, 10_000),
      '2000',
      'How long a request may wait for a forecast.',
    ),
  },
};
