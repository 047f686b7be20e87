import { mkdirSync } from 'node:fs';
import { createApp } from '../../src/http/app.ts';
import { openService, withToken } from '../support/service.ts';
import { entry, writeCatalogueFile } from '../support/service-catalogue.ts';

/**
 * `bun test/bench/calendar.ts [ACTIVITIES] [DATES]` prints the time of pages of the calendar of a city with so many activities
 * (default 6,250), of which each has so many dates with events (default 2), on the embedded engines: ms of CPU (median of 15)
 * and bytes of the answer without compression.
 */
const ACTIVITIES = Number(process.argv[2] ?? 6_250);
const DATES = Number(process.argv[3] ?? 2);
const [ROUNDS, AT_ONCE] = [15, 32];
const FROM = '2026-12-01';

function idOf(n: number): string {
  return `walk-${String(n).padStart(5, '0')}`;
}

const venue = { id: 'old-pier', name: 'Old Pier', address: '1 Pier Road, Bangkok 10200', lat: 13.75, lon: 100.49 };
await using service = await openService({
  catalogue(directory) {
    mkdirSync(directory, { recursive: true });
    const activities = Array.from({ length: ACTIVITIES }, (_, n) =>
      entry({ id: idOf(n), venue: venue.id, name: `River Walk ${n}`, capacity: 10, price: 120.5 }),
    );
    writeCatalogueFile(directory, { city: 'Bangkok', venues: [venue], hotels: [], activities });
  },
});
const app = createApp(service.node.context);
const headers = {
  ...withToken(String(service.admin['authorization']).replace('Bearer ', '')),
  'content-type': 'application/json',
};

async function send(method: string, path: string, body?: object): Promise<Response> {
  const request = new Request(`http://localhost${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const response = await app.handle(request);
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
  return response;
}

const to = `2026-12-${String(DATES).padStart(2, '0')}`;
for (let from = 0; from < ACTIVITIES; from += AT_ONCE)
  await Promise.all(
    Array.from({ length: Math.min(AT_ONCE, ACTIVITIES - from) }, (_, n) =>
      // Every hundredth is sold out.
      send('PUT', `/api/activities/${idOf(from + n)}/allotments`, {
        from: FROM,
        to,
        capacity: (from + n) % 100 === 0 ? 0 : 12,
      }),
    ),
  );
await service.documents('inventory');

for (const [name, query] of [
  ['25 activities, 14 dates', `from=${FROM}`],
  ['50 activities, 31 dates', `from=${FROM}&to=2026-12-31&limit=50`],
  ['sold out, 31 dates', `from=${FROM}&to=2026-12-31&having=sold_out`],
  ['a text', `from=${FROM}&q=walk`],
  ['one activity', `activity_id=${idOf(7)}&from=${FROM}`],
] as const) {
  const times: number[] = [];
  let bytes = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const started = process.cpuUsage();
    bytes = (await (await send('GET', `/api/calendar?city=Bangkok&${query}`)).arrayBuffer()).byteLength;
    const { user, system } = process.cpuUsage(started);
    times.push((user + system) / 1_000);
  }
  const median = times.sort((one, other) => one - other)[Math.floor(ROUNDS / 2)];
  console.log(`${name}: ${median?.toFixed(1)} ms, ${(bytes / 1_000).toFixed(0)} kB`);
}
