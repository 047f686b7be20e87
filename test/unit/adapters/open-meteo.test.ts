import { describe, expect, test } from 'bun:test';
import { openMeteo } from '../../../src/adapters/open-meteo/weather.ts';
import { MINUTE_MS } from '../../../src/eventsourcing/durations.ts';
import type { Forecast, WeatherUnavailable } from '../../../src/ports/weather.ts';
import { movedClock } from '../../support/clock.ts';
import { collectedLog } from '../../support/log.ts';
import { documentedAnswer, documentedRefusal, weatherServer } from '../../support/open-meteo.ts';

const MIDNIGHT = '2026-11-21T00:00:00.000Z';
const NOW = Date.parse('2026-11-21T03:00:00Z');
const BANGKOK = { lat: 13.7563, lon: 100.5018 };
const SINGAPORE = { lat: 1.3521, lon: 103.8198 };
/** Longer than any test: a deadline that never passes. */
const EVER_MS = 60_000;

describe('a forecast', () => {
  test('contains the hours of the answer, in the units of the field names', async () => {
    await using scene = open();
    const answer = forecastOf(await scene.weather.forecast(BANGKOK));
    expect({ ...answer, hours: answer.hours.slice(0, 2) }).toEqual({
      kind: 'forecast',
      source: 'open-meteo',
      fetchedAt: '2026-11-21T03:00:00.000Z',
      hours: [
        {
          atMs: Date.parse('2026-11-21T00:00:00Z'),
          temperatureC: 24,
          precipitationPercent: 0,
          precipitationMm: 0,
          windKmh: 5,
          weatherCode: 95,
        },
        {
          atMs: Date.parse('2026-11-21T01:00:00Z'),
          temperatureC: 25,
          precipitationPercent: 1,
          precipitationMm: 0.1,
          windKmh: 6,
          weatherCode: 1,
        },
      ],
    });
    expect([answer.hours.length, answer.hours.at(-1)?.atMs]).toEqual([216, Date.parse('2026-11-29T23:00:00Z')]);
    expect(scene.log.lines).toEqual([]);
  });

  test('is requested as documented, for the centre of a cell of a tenth of a degree', async () => {
    await using scene = open();
    await scene.weather.forecast(BANGKOK);
    await scene.weather.forecast({ lat: -8.6705, lon: 115.2126 });
    const same = {
      hourly: 'temperature_2m,precipitation_probability,precipitation,wind_speed_10m,weather_code',
      forecast_days: '9',
      timezone: 'UTC',
    };
    expect(scene.server.asked.map((url) => url.pathname)).toEqual(['/v1/forecast', '/v1/forecast']);
    const queries = scene.server.asked.map((url) => Object.fromEntries(url.searchParams.entries()));
    expect(queries).toEqual([
      { ...same, latitude: '13.8', longitude: '100.5' },
      { ...same, latitude: '-8.7', longitude: '115.2' },
    ]);
  });

  test('can be compressed', async () => {
    await using scene = open();
    const body = Bun.gzipSync(JSON.stringify(documentedAnswer(MIDNIGHT)));
    scene.server.answer(() => new Response(body, { headers: { 'content-encoding': 'gzip' } }));
    expect(forecastOf(await scene.weather.forecast(BANGKOK)).hours).toHaveLength(216);
  });
});

describe('there is no forecast', () => {
  const never = () => new Promise<Response>(() => {});
  const half = () => new Response(new ReadableStream({ start: (stream) => stream.enqueue('{"hourly":{') }));
  const huge = new Uint8Array(200_000).fill(0x20);

  test.each<[given: string, answer: () => Response | Promise<Response>, WeatherUnavailable['reason'], detail: string]>([
    [
      'a parameter that it does not know',
      () => documentedRefusal(400, 'Cannot initialize from invalid String value'),
      'refused',
      'status 400 Cannot initialize from invalid String value',
    ],
    [
      'a used-up quota',
      () => documentedRefusal(429, 'Daily API request limit exceeded. Please try again tomorrow.'),
      'refused',
      'status 429 Daily API request limit exceeded. Please try again tomorrow.',
    ],
    ['a fault of the service', () => new Response('<h1>oops</h1>', { status: 500 }), 'refused', 'status 500'],
    ['a fault with a huge page', () => new Response(huge, { status: 502 }), 'refused', 'status 502'],
    ['a redirect, which is not followed', () => Response.redirect('/elsewhere', 302), 'refused', 'status 302'],
    ['no content', () => new Response(null, { status: 204 }), 'refused', 'status 204'],
    ['an empty answer', () => new Response(''), 'malformed', 'it is not JSON'],
    ['JSON that is none', () => new Response('{"hourly":'), 'malformed', 'it is not JSON'],
    ['a wrong shape', () => Response.json({ hourly: [] }), 'malformed', 'hourly.time is not a list of rising hours'],
    ['too large an answer', () => new Response(huge), 'too-large', 'more than 131072 bytes'],
    [
      'an answer that is large when unpacked',
      () => new Response(Bun.gzipSync(huge), { headers: { 'content-encoding': 'gzip' } }),
      'too-large',
      'more than 131072 bytes',
    ],
    ['no answer before the deadline', never, 'deadline', 'no answer within 40 ms'],
    ['an answer that stops in the middle', half, 'deadline', 'no answer within 40 ms'],
  ])('given %s', async (_, answer, reason, detail) => {
    await using scene = open({ deadlineMs: reason === 'deadline' ? 40 : EVER_MS });
    scene.server.answer(answer);
    expect(await scene.weather.forecast(BANGKOK)).toEqual({ kind: 'unavailable', reason });
    expect(scene.log.lines).toEqual([warned(reason, detail)]);
  });

  test('without a server', async () => {
    await using scene = open();
    await scene.server.stop();
    expect(await scene.weather.forecast(BANGKOK)).toEqual({ kind: 'unavailable', reason: 'unreachable' });
    expect(scene.log.lines).toEqual([warned('unreachable', 'ECONNREFUSED')]);
  });

  test('without a configured URL', async () => {
    const log = collectedLog();
    const weather = openMeteo({ baseUrl: null, deadlineMs: EVER_MS, clock: movedClock(NOW), log });
    expect(await weather.forecast(BANGKOK)).toEqual({ kind: 'unavailable', reason: 'off' });
    expect(log.lines).toEqual([]);
  });

  test('after the service stops: running calls are aborted, no other starts, nothing is logged', async () => {
    await using scene = open();
    const arrived = Promise.withResolvers<void>();
    scene.server.answer(() => {
      arrived.resolve();
      return never();
    });
    const underWay = scene.weather.forecast(BANGKOK);
    await arrived.promise;
    scene.weather.stop();
    const off = { kind: 'unavailable', reason: 'off' } as const;
    expect([await underWay, await scene.weather.forecast(SINGAPORE)]).toEqual([off, off]);
    expect([scene.server.asked.length, scene.log.lines]).toEqual([1, []]);
  });
});

describe('one call serves', () => {
  test('all concurrent requests for a cell', async () => {
    await using scene = open();
    const within = Array.from({ length: 50 }, (_, n) => ({ lat: 13.7501 + n / 1_000, lon: 100.5018 }));
    const answers = await Promise.all(within.map((position) => scene.weather.forecast(position)));
    expect(new Set(answers).size).toBe(1);
    expect([answers[0]?.kind, scene.server.asked.length]).toEqual(['forecast', 1]);
  });

  test('all later requests for a cell for 20 minutes', async () => {
    await using scene = open();
    const first = await scene.weather.forecast(BANGKOK);
    scene.clock.advance(20 * MINUTE_MS - 1);
    expect(await scene.weather.forecast(BANGKOK)).toBe(first);
    expect(scene.server.asked).toHaveLength(1);
  });

  test('not another cell', async () => {
    await using scene = open();
    await scene.weather.forecast({ lat: 13.7499, lon: 100.5 });
    await scene.weather.forecast({ lat: 13.7501, lon: 100.5 });
    expect(scene.server.asked.map((url) => url.searchParams.get('latitude'))).toEqual(['13.7', '13.8']);
  });

  test('no request from 30 minutes on', async () => {
    await using scene = open();
    await scene.weather.forecast(BANGKOK);
    scene.clock.advance(30 * MINUTE_MS);
    const second = forecastOf(await scene.weather.forecast(BANGKOK));
    expect([second.fetchedAt, scene.server.asked.length]).toEqual(['2026-11-21T03:30:00.000Z', 2]);
  });

  test('no request if the clock was set back and its age is unknown', async () => {
    await using scene = open();
    await scene.weather.forecast(BANGKOK);
    scene.clock.advance(-1);
    await scene.weather.forecast(BANGKOK);
    expect(scene.server.asked).toHaveLength(2);
  });

  test('requests from 20 minutes on without waiting, while a new forecast is fetched once', async () => {
    await using scene = open();
    const first = await scene.weather.forecast(BANGKOK);
    const release = scene.hold();
    scene.clock.advance(20 * MINUTE_MS);
    expect([await scene.weather.forecast(BANGKOK), await scene.weather.forecast(BANGKOK)]).toEqual([first, first]);
    scene.clock.advance(10 * MINUTE_MS);
    const joined = scene.weather.forecast(BANGKOK);
    release();
    expect(forecastOf(await joined).fetchedAt).toBe('2026-11-21T03:20:00.000Z');
    expect(scene.server.asked).toHaveLength(2);
  });

  test('requests until it expires, if it cannot be renewed', async () => {
    await using scene = open();
    const first = await scene.weather.forecast(BANGKOK);
    scene.server.answer(() => new Response('', { status: 500 }));
    scene.clock.advance(30 * MINUTE_MS - 1);
    expect(await scene.weather.forecast(BANGKOK)).toBe(first);
    scene.clock.advance(1);
    expect(await scene.weather.forecast(BANGKOK)).toEqual({ kind: 'unavailable', reason: 'refused' });
  });
});

test('at most six calls run at once; a seventh cell gets no forecast', async () => {
  await using scene = open();
  const release = scene.hold();
  const six = Array.from({ length: 6 }, (_, lat) => scene.weather.forecast({ lat, lon: 100 }));
  expect(await scene.weather.forecast({ lat: 6, lon: 100 })).toEqual({ kind: 'unavailable', reason: 'busy' });
  release();
  expect((await Promise.all(six)).map(({ kind }) => kind)).toEqual(Array(6).fill('forecast'));
  expect((await scene.weather.forecast({ lat: 6, lon: 100 })).kind).toBe('forecast');
  expect([scene.server.asked.length, scene.log.lines]).toEqual([7, []]);
});

describe('the circuit', () => {
  const spared: WeatherUnavailable = { kind: 'unavailable', reason: 'circuit-open' };
  const refused: WeatherUnavailable = { kind: 'unavailable', reason: 'refused' };

  test('opens at the first fault of a service that never answered, so that only one caller waits', async () => {
    await using scene = open({ deadlineMs: 40 });
    scene.hold();
    const answers = [];
    for (let asked = 0; asked < 4; asked++) answers.push(await scene.weather.forecast(BANGKOK));
    expect(answers).toEqual([{ kind: 'unavailable', reason: 'deadline' }, spared, spared, spared]);
    expect(scene.server.asked).toHaveLength(1);
  });

  test('opens at the third consecutive fault of a service that answered before', async () => {
    await using scene = open();
    const ask = () => scene.weather.forecast(SINGAPORE);
    await scene.weather.forecast(BANGKOK);
    scene.fail();
    expect([await ask(), await ask()]).toEqual([refused, refused]);
    scene.succeed();
    expect((await ask()).kind).toBe('forecast');
    scene.clock.advance(30 * MINUTE_MS);
    scene.fail();
    expect([await ask(), await ask(), await ask(), await ask()]).toEqual([refused, refused, refused, spared]);
    expect(scene.server.asked).toHaveLength(7);
  });

  test('skips calls for a minute, then allows a trial call, and closes if it succeeds', async () => {
    await using scene = open();
    scene.fail();
    expect(await scene.weather.forecast(BANGKOK)).toEqual(refused);
    scene.succeed();
    scene.clock.advance(MINUTE_MS - 1);
    expect(await scene.weather.forecast(BANGKOK)).toEqual(spared);
    scene.clock.advance(1);
    const release = scene.hold();
    const probe = scene.weather.forecast(BANGKOK);
    expect(await scene.weather.forecast(SINGAPORE)).toEqual(spared);
    release();
    expect((await probe).kind).toBe('forecast');
    expect((await scene.weather.forecast(SINGAPORE)).kind).toBe('forecast');
    expect(scene.server.asked).toHaveLength(3);
  });

  test('stays open for another minute if the trial call fails', async () => {
    await using scene = open();
    scene.fail();
    await scene.weather.forecast(BANGKOK);
    scene.clock.advance(MINUTE_MS);
    expect(await scene.weather.forecast(BANGKOK)).toEqual(refused);
    scene.clock.advance(MINUTE_MS - 1);
    expect(await scene.weather.forecast(BANGKOK)).toEqual(spared);
    expect(scene.server.asked).toHaveLength(2);
  });

  test('is not kept open by a clock that was set back', async () => {
    await using scene = open();
    scene.fail();
    await scene.weather.forecast(BANGKOK);
    scene.clock.advance(-60 * MINUTE_MS);
    expect(await scene.weather.forecast(BANGKOK)).toEqual(refused);
  });

  test('does not affect cached forecasts', async () => {
    await using scene = open();
    const kept = await scene.weather.forecast(BANGKOK);
    scene.fail();
    for (let asked = 0; asked < 3; asked++) await scene.weather.forecast(SINGAPORE);
    expect(await scene.weather.forecast(SINGAPORE)).toEqual(spared);
    scene.clock.advance(25 * MINUTE_MS);
    expect(await scene.weather.forecast(BANGKOK)).toBe(kept);
  });
});

test('availability is logged when it or its reason changes, and not at every request', async () => {
  await using scene = open();
  const ask = async (): Promise<void> => {
    scene.clock.advance(30 * MINUTE_MS);
    await scene.weather.forecast(BANGKOK);
    await scene.weather.forecast(SINGAPORE);
  };
  await ask();
  scene.fail();
  await ask();
  await ask();
  scene.server.answer(() => new Response('not JSON'));
  await ask();
  scene.succeed();
  await ask();
  await ask();
  scene.fail();
  await ask();
  expect(scene.log.lines).toEqual([
    warned('refused', 'status 503'),
    warned('malformed', 'it is not JSON'),
    { level: 'info', happening: 'weather available again', facts: {} },
    warned('refused', 'status 503'),
  ]);
});

test('at most 200 characters of the service’s text are logged', async () => {
  await using scene = open();
  scene.server.answer(() => documentedRefusal(400, 'x'.repeat(5_000)));
  await scene.weather.forecast(BANGKOK);
  expect(scene.log.lines).toEqual([warned('refused', `status 400 ${'x'.repeat(189)}`)]);
});

type Opening = { readonly deadlineMs?: number };

/** The adapter and a server that gives documented answers unless the test changes them. */
function open({ deadlineMs = EVER_MS }: Opening = {}) {
  const server = weatherServer(MIDNIGHT);
  const clock = movedClock(NOW);
  const log = collectedLog();
  const weather = openMeteo({ baseUrl: server.url, deadlineMs, clock, log });
  const good = (): Response => Response.json(documentedAnswer(MIDNIGHT));
  return {
    server,
    clock,
    log,
    weather,
    succeed: () => server.answer(good),
    fail: () => server.answer(() => new Response('', { status: 503 })),
    /** The server answers no request until the returned function is called. */
    hold: () => {
      const held = Promise.withResolvers<void>();
      server.answer(() => held.promise.then(good));
      return held.resolve;
    },
    async [Symbol.asyncDispose]() {
      weather.stop();
      await server.stop();
    },
  };
}

function forecastOf(answer: Forecast | WeatherUnavailable): Forecast {
  if (answer.kind === 'unavailable') throw new Error(`no forecast: ${answer.reason}`);
  return answer;
}

function warned(reason: string, detail: string) {
  return { level: 'warn' as const, happening: 'weather unavailable', facts: { reason, detail } };
}
