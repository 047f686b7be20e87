import { expect, test } from 'bun:test';
import { createForecastCache } from '../../../src/adapters/open-meteo/forecast-cache.ts';
import { OPEN_METEO_LIMITS } from '../../../src/adapters/open-meteo/limits.ts';
import type { Forecast } from '../../../src/ports/weather.ts';
import { movedClock } from '../../support/clock.ts';

test('given more cells than the limit, the least recently used are dropped', () => {
  const clock = movedClock();
  const cache = createForecastCache(clock);
  const forecast: Forecast = {
    kind: 'forecast',
    source: 'open-meteo',
    fetchedAt: new Date(clock.nowMs()).toISOString(),
    hours: [],
  };
  const cells = Array.from({ length: OPEN_METEO_LIMITS.cells }, (_, n) => `cell ${n}`);
  for (const cell of cells) cache.keep(cell, forecast);
  cache.find('cell 0');
  cache.keep('cell 1', forecast);
  cache.keep('one more', forecast);
  cache.keep('and another', forecast);
  const gone = [...cells, 'one more', 'and another'].filter((cell) => cache.find(cell) === null);
  expect(gone).toEqual(['cell 2', 'cell 3']);
});
