import { expect, test } from 'bun:test';
import { documentedAnswer, weatherServer } from '../../support/open-meteo.ts';
import { NOW, openService } from '../../support/service.ts';

const MIDNIGHT = '2026-11-21T00:00:00.000Z';

/** A documented response with rain at every hour, or at none. */
function answering(percent: number) {
  const answer = documentedAnswer(MIDNIGHT);
  const { hourly } = answer;
  hourly['precipitation_probability'] = (hourly['time'] ?? []).map(() => percent);
  return () => Response.json(answer);
}

async function openWith(percent: number) {
  const server = weatherServer(MIDNIGHT);
  server.answer(answering(percent));
  const service = await openService({ settings: { OPEN_METEO_URL: server.url, WEATHER_DEADLINE_MS: '10000' } });
  return {
    server,
    service,
    async [Symbol.asyncDispose]() {
      await service.stop();
      await server.stop();
    },
  };
}

test('recommend uses and shows the forecast for the position', async () => {
  await using scene = await openWith(0);
  const { data } = await scene.service.recommend({ location: { lat: 13.75, lon: 100.49 } });
  expect(data.context.environment_summary).toBe(
    'Bangkok, Saturday 21 November at 10:00 local time. Forecast (Open-Meteo): 27 °C, 0% chance of rain, wind 8 km/h.',
  );
  const [asked] = scene.server.asked;
  expect([asked?.searchParams.get('latitude'), asked?.searchParams.get('longitude')]).toEqual(['13.8', '100.5']);
});

test('without a position it uses the forecast of the city, cached for half an hour', async () => {
  await using scene = await openWith(0);
  for (let time = 0; time < 3; time++) await scene.service.recommend();
  expect(scene.server.asked.map((url) => url.searchParams.get('latitude'))).toEqual(['13.8']);
});

test('rain lowers the score of activities that are partly outdoors', async () => {
  await using dry = await openWith(0);
  await using wet = await openWith(90);
  const factorOf = async ({ service }: typeof dry) =>
    (await service.recommend()).data.recommendations.map(({ score_breakdown: { weather } }) => weather);
  const [fine, rainy] = [await factorOf(dry), await factorOf(wet)];
  expect(Math.max(...rainy)).toBeLessThan(Math.min(...fine));
});

test('without a forecast it uses and shows the climate normals of the month', async () => {
  await using scene = await openWith(0);
  scene.server.answer(() => new Response('no', { status: 500 }));
  const { data } = await scene.service.recommend();
  expect(data.context.environment_summary).toContain('No forecast was available; usual for November:');
  const events = await scene.service.events();
  expect(events.find(({ type }) => type === 'RecommendationServed.v2')?.data).toMatchObject({
    environment: { nowMs: NOW, weather: { source: 'climate-normals' } },
  });
});
