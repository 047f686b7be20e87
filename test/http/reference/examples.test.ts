import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { localDate } from '../../../src/domain/activity/schedule.ts';
import { createApp } from '../../../src/http/app.ts';
import { type DescribedRoute, describedRoutes } from '../../../src/http/reference/described-routes.ts';
import { createOperator } from '../../support/operators.ts';
import { openShipped } from '../../support/reckoned.ts';
import { DOCUMENTS, fullReference, type Operation, type Reference } from '../../support/reference.ts';
import { type Credentials, openService, type Service, withDevice } from '../../support/service.ts';
import type { Booking } from '../../support/service-answers.ts';

type Json = { readonly [name: string]: unknown };
type Named = { readonly name: string; readonly in: string; readonly example?: unknown };

/** Each of several hundred schemas is compiled once, which takes seconds on a busy machine. */
const EVERY_SCHEMA_MS = 30_000;

/**
 * A Saturday, a leap day, and the last days of a year. At 20:00 UTC, a city that is ahead of UTC already has the next
 * day.
 */
describe.each(['2026-11-21T03:00:00Z', '2028-02-29T20:00:00Z', '2026-12-31T20:00:00Z', '2027-12-31T04:00:00Z'])(
  'the examples at %s',
  (start) => {
    let service: Service;
    let reference: Reference;
    beforeAll(async () => {
      service = await openShipped(Date.parse(start));
      reference = await fullReference((path) => service.send(path));
    });
    afterAll(() => service.stop());

    test(
      'of answers fit their schemas',
      () => {
        let examples = 0;
        for (const { pointer, method, path } of reference.operations) {
          const place = reference.at(`${pointer}/responses/200/content/application~1json`);
          if (place === null || WITHOUT_EXAMPLE.has(path)) continue;
          const fault = reference.fault(`${place.pointer}/schema`, exampleAt(reference, place));
          expect(fault, `${method} ${path}`).toBeNull();
          examples += 1;
        }
        expect(examples).toBeGreaterThan(40);
      },
      EVERY_SCHEMA_MS,
    );

    test(
      'of requests can be sent',
      async () => {
        const routes = describedRoutes(createApp(service.node.context).routes);
        const outcomes: Record<string, string> = {};
        for (const each of reference.operations) {
          const request = requestOf(reference, each);
          const route = routes.find(({ operationId }) => operationId === each.operation['operationId']);
          if (request === null || route === undefined) continue;
          const outcome = await sent(service, each, route, request);
          if (outcome !== '200') outcomes[route.operationId] = outcome;
        }
        expect(outcomes).toEqual(OTHER_OUTCOMES);
      },
      EVERY_SCHEMA_MS,
    );
  },
);

/** Their content is the installation's own. */
const WITHOUT_EXAMPLE: ReadonlySet<string> = new Set([...DOCUMENTS, '/.well-known/waymark-voucher-keys.json']);

/** Documented refusals: no example makes a pending booking, parks an event, or knows a token, a device or the code of a voucher. */
const OTHER_OUTCOMES = {
  reject_booking: '409 BOOKING_NOT_MODIFIABLE',
  pause_device: '404 NOT_FOUND',
  resume_device: '404 NOT_FOUND',
  retry_parked: '404 NOT_FOUND',
  skip_parked: '404 NOT_FOUND',
  verify_voucher: '404 VOUCHER_NOT_FOUND',
  record_arrivals: '404 BOOKING_NOT_FOUND',
  exclude_from_learning: '404 NOT_FOUND',
  void_visits: '404 NOT_FOUND',
  sign_in: '401 INVALID_TOKEN',
};

test('every body has an example', async () => {
  await using service = await openService();
  const routes = describedRoutes(createApp(service.node.context).routes);
  const without = routes.filter(
    ({ method, request, example }) => method !== 'GET' && request !== null && example === undefined,
  );
  expect(without.map(({ operationId }) => operationId)).toEqual([]);
});

/** What a reader can still use: dates on sale, and ends of what is valid. */
const AHEAD: ReadonlySet<string> = new Set(
  'available_date booking_date date query_date valid_until expires_at flash_deal_expires works_until resets_at'.split(
    ' ',
  ),
);

test.each(['2026-11-21T00:00:00.000Z', '2028-03-15T23:59:59.999Z'])(
  'no example shows a passed date at %s',
  async (now) => {
    await using service = await openService({ startMs: Date.parse(now) });
    const { document } = await fullReference((path) => service.send(path));
    // The date in the city that is furthest ahead.
    const today = localDate('Singapore', Date.parse(now));
    const passed: string[] = [];
    let ahead = 0;
    const walk = (value: unknown, path: string, example: boolean): void => {
      const name = path.slice(path.lastIndexOf('/') + 1);
      if (example && typeof value === 'string' && AHEAD.has(name)) {
        ahead += 1;
        if (value < (value.includes('T') ? now : today)) passed.push(`${path} ${value}`);
      }
      // `api_version` is a month in which the version was made.
      if (example && typeof value === 'string' && name !== 'api_version' && /(?<!\d)2026/.test(value) && now > '2028')
        passed.push(`${path} ${value}`);
      if (typeof value !== 'object' || value === null) return;
      for (const [member, inner] of Object.entries(value))
        walk(inner, `${path}/${member}`, example || member === 'example' || member === 'examples');
    };
    walk(document, '', false);
    expect(passed).toEqual([]);
    expect(ahead).toBeGreaterThan(20);
  },
);

test('the dates of examples follow the day of the request', async () => {
  await using service = await openService();
  const examples = async () => {
    const texts = [await (await service.send('/openapi.json')).text(), await (await service.send('/llms.txt')).text()];
    return texts.map((text) => /"user_name":"[^"]+","booking_date":"([^"]+)"/.exec(text)?.[1]);
  };
  expect(await examples()).toEqual(['2026-12-05', '2026-12-05']);
  service.clock.advance(86_400_000);
  expect(await examples()).toEqual(['2026-12-06', '2026-12-06']);
});

test('a date in words follows the day of the request too', async () => {
  await using service = await openService();
  const date = async () => {
    const text = await (await service.send('/openapi.json')).text();
    return /"environment_summary":"Bangkok, (.+?) at 17:41 local time/.exec(text)?.[1];
  };
  expect(await date()).toBe('Saturday 21 November');
  service.clock.advance(10 * 86_400_000);
  expect(await date()).toBe('Tuesday 1 December');
});

type Request = { readonly body: unknown; readonly query: string };

/** The example of an operation's body or query; null if it has none. */
function requestOf(reference: Reference, { pointer, operation }: Operation): Request | null {
  const body = reference.at(`${pointer}/requestBody/content/application~1json`)?.value['example'];
  const parameters = ((operation['parameters'] ?? []) as readonly unknown[]).map(
    (_, index) => reference.at(`${pointer}/parameters/${index}`)?.value as Named,
  );
  const given = parameters.filter((each) => each.in === 'query' && each.example !== undefined);
  if (body === undefined && given.length === 0) return null;
  const query = new URLSearchParams(given.map(({ name, example }): [string, string] => [name, String(example)]));
  return { body, query: given.length === 0 ? '' : `?${query.toString()}` };
}

/** @returns the status, and the code of a refusal */
async function sent(
  service: Service,
  { method, path }: Operation,
  { access }: DescribedRoute,
  { body, query }: Request,
): Promise<string> {
  const ids = path.includes('{') ? await idsFor(service, path) : {};
  const target = path.replace(/\{(\w+)\}/g, (_, name: keyof typeof ids) => ids[name] ?? '');
  const response = await service.send(`${target}${query}`, {
    method,
    headers: {
      ...(access.by === 'operator' ? service.admin : access.by === 'device' ? await gateOf(service) : service.key),
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { code } = (await response.json()) as { readonly code?: string };
  return code === undefined ? String(response.status) : `${response.status} ${code}`;
}

/** Path parameters: a new booking and a new key or operator for each request, and the booking's activity, date and venue. */
async function idsFor(service: Service, path: string): Promise<Readonly<Record<string, string>>> {
  const reference = await fullReference((each) => service.send(each));
  const { value } = reference.at('/paths/~1api~1b2a~1execute_booking/post/requestBody') ?? {};
  const { content } = value as { readonly content: { readonly 'application/json': { readonly example: object } } };
  const { data } = await service.post<Booking>(
    '/api/b2a/execute_booking',
    content['application/json'].example,
    service.key,
  );
  const { booking_id, booking_date, activity } = data;
  const { id } = path.startsWith('/api/operators')
    ? await createOperator(service, 'support')
    : await service.createKey();
  return { booking_id, activity_id: activity.id, date: booking_date, venue_id: activity.venue_id, id };
}

async function gateOf(service: Service): Promise<Credentials> {
  return withDevice((await service.createDevice('bkk-bamboo-bar')).device_key);
}

/** The example of an answer; without one, that which tools compose from the examples of its schema. */
function exampleAt(reference: Reference, { value }: NonNullable<ReturnType<Reference['at']>>): unknown {
  return value['example'] ?? reference.sample(value['schema'] as Json);
}
