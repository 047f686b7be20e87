import { describe, expect, test } from 'bun:test';
import { BadConfiguration, readConfig } from '../../../src/config.ts';
import { weatherServer } from '../../support/open-meteo.ts';
import { openService } from '../../support/service.ts';

const BANGKOK = { lat: 13.7563, lon: 100.5018 };

describe('the weather of a running service', () => {
  test('comes from OPEN_METEO_URL', async () => {
    await using server = weatherServer('2026-11-21T00:00:00Z');
    await using service = await openService({ settings: { OPEN_METEO_URL: `${server.url}/` } });
    const { kind } = await service.node.context.weather.forecast(BANGKOK);
    expect([kind, server.asked.map((url) => url.pathname)]).toEqual(['forecast', ['/v1/forecast']]);
  });

  test('is off in tests by default', async () => {
    await using service = await openService();
    const answer = await service.node.context.weather.forecast(BANGKOK);
    expect(answer).toEqual({ kind: 'unavailable', reason: 'off' });
  });

  test('is off after the service has stopped', async () => {
    await using server = weatherServer('2026-11-21T00:00:00Z');
    const service = await openService({ settings: { OPEN_METEO_URL: server.url } });
    const { weather } = service.node.context;
    await service.stop();
    expect(await weather.forecast(BANGKOK)).toEqual({ kind: 'unavailable', reason: 'off' });
    expect(server.asked).toEqual([]);
  });
});

describe('OPEN_METEO_URL and WEATHER_DEADLINE_MS', () => {
  test.each<[settings: Record<string, string>, openMeteoUrl: string | null, weatherDeadlineMs: number]>([
    [{}, 'https://api.open-meteo.com', 2_000],
    [{ OPEN_METEO_URL: '' }, 'https://api.open-meteo.com', 2_000],
    [{ OPEN_METEO_URL: 'off' }, null, 2_000],
    [{ OPEN_METEO_URL: 'http://weather.internal/meteo/' }, 'http://weather.internal/meteo', 2_000],
    [{ WEATHER_DEADLINE_MS: '50' }, 'https://api.open-meteo.com', 50],
    [{ WEATHER_DEADLINE_MS: '10000' }, 'https://api.open-meteo.com', 10_000],
  ])('%p', (settings, openMeteoUrl, weatherDeadlineMs) => {
    expect(readConfig(settings)).toMatchObject({ openMeteoUrl, weatherDeadlineMs });
  });

  test.each([
    [{ OPEN_METEO_URL: 'no' }, 'OPEN_METEO_URL must be an http:// or https:// URL without query'],
    [{ OPEN_METEO_URL: 'ftp://a' }, 'OPEN_METEO_URL must be an http:// or https:// URL without query'],
    [{ WEATHER_DEADLINE_MS: '49' }, 'WEATHER_DEADLINE_MS must be a whole number from 50 to 10000; it is "49"'],
  ])('%p stops the start', (settings, fault) => {
    expect(() => readConfig(settings)).toThrow(new BadConfiguration([fault]));
  });
});
