import { type BenchServer, cpuMs, type Measurement } from './bench-server.ts';
import { measure } from './load.ts';
import { Arrivals, startReceivers } from './receivers.ts';
import { caughtUp, type Figures } from './watch.ts';

/** The history that the dashboard is opened on. */
const [BOOKINGS, DAYS, DELIVERIES] = [10_000, 60, 100_000];
/** Duration of the requests for one answer. */
const EACH_MS = 2_000;
/** Deadline of all deliveries. */
const DELIVERED_MS = 1_800_000;

type Key = { readonly id: string; readonly value: string };
type Page = { readonly items: readonly Readonly<Record<string, unknown>>[] };

/**
 * What the pages of the dashboard load, from a history of 10,000 bookings and 100,000 deliveries: CPU time, p50 and bytes of
 * each answer, without compression.
 */
export async function measurePages({ install, progress, signal }: Measurement): Promise<Figures> {
  const arrivals = new Arrivals();
  await using receivers = startReceivers(1, ({ eventId, body }) =>
    arrivals.add(`${eventId} ${body.length} ${arrivals.size}`),
  );
  await using installation = await install();
  const command = ['src/main.ts', 'generate', '--json', '--bookings', String(BOOKINGS), '--days', String(DAYS)];
  const { keys }: { readonly keys: readonly Key[] } = JSON.parse(await installation.run(command, progress));
  await using server = await installation.start();
  await caughtUp(server, signal);
  const [url = ''] = receivers.urls;
  for (const { value } of keys)
    await send(server, 'PATCH', '/api/keys/self', { 'x-api-key': value }, { webhook_url: url });
  const from = new Date(Date.now() - DAYS * 86_400_000).toISOString();
  let scheduled = 0;
  for (let round = 0; scheduled < DELIVERIES; round++)
    for (const { value } of keys) scheduled += await replay(server, value, from, `${round}`);
  progress(`${scheduled} deliveries are scheduled`);
  await arrivals.reached(scheduled, AbortSignal.any([signal, AbortSignal.timeout(DELIVERED_MS)]));
  await caughtUp(server, signal);
  const figures: Record<string, number> = { deliveries: scheduled };
  for (const [name, path] of Object.entries(await requestsOf(server))) {
    const headers = { authorization: `Bearer ${server.adminToken}` };
    const bytes = (await (await fetch(`http://127.0.0.1:${server.port}${path}`, { headers })).arrayBuffer()).byteLength;
    const before = cpuMs(server.pid);
    const load = { port: server.port, connections: 1, milliseconds: EACH_MS };
    const { p50Ms, requests, refused } = await measure({
      ...load,
      next: () => ({ method: 'GET', path, headers, body: '' }),
    });
    signal.throwIfAborted();
    if (Object.keys(refused).length > 0) throw new Error(`${path}: refused ${JSON.stringify(refused)}`);
    figures[`${name}: CPU ms`] = (cpuMs(server.pid) - before) / requests;
    figures[`${name}: p50 ms`] = p50Ms;
    figures[`${name}: kB`] = bytes / 1_000;
    progress(`${name}: p50 ${p50Ms.toFixed(2)} ms, ${(bytes / 1_000).toFixed(1)} kB`);
  }
  return figures;
}

/** @returns the number of deliveries that it scheduled */
async function replay(server: BenchServer, key: string, from: string, round: string): Promise<number> {
  let [scheduled, cursor]: [number, string | null] = [0, null];
  for (let page = 0; page === 0 || cursor !== null; page++) {
    const body = { from, ...(cursor !== null && { cursor }) };
    const answer: { readonly scheduled: number; readonly next_cursor: string | null } = await send(
      server,
      'POST',
      '/api/webhooks/replay',
      { 'x-api-key': key, 'idempotency-key': `${round} ${page}` },
      body,
    );
    scheduled += answer.scheduled;
    cursor = answer.next_cursor;
  }
  return scheduled;
}

/** By page: the path of its slowest answer. */
async function requestsOf(server: BenchServer): Promise<Readonly<Record<string, string>>> {
  const first = async (path: string, field: string): Promise<string> => {
    const { items } = await send<Page>(server, 'GET', path, { authorization: `Bearer ${server.adminToken}` });
    const value = items[0]?.[field];
    if (typeof value !== 'string') throw new Error(`${path} has no ${field}`);
    return value;
  };
  const [booking, delivery, key, activity] = await Promise.all([
    first('/api/bookings?limit=1', 'booking_id'),
    first('/api/webhooks/deliveries?limit=1', 'delivery_id'),
    first('/api/keys?limit=1', 'id'),
    first('/api/calendar?city=Bangkok&limit=1', 'activity_id'),
  ]);
  const today = new Date().toISOString().slice(0, 10);
  return {
    bookings: '/api/bookings',
    'bookings of an activity and date': `/api/bookings?activity_id=${activity}&from=${today}&to=${today}`,
    'bookings of a guest': '/api/bookings?guest=nguyen',
    booking: `/api/bookings/${booking}`,
    'timeline of a booking': `/api/bookings/${booking}/timeline`,
    deliveries: '/api/webhooks/deliveries',
    'deliveries that failed': '/api/webhooks/deliveries?status=failed',
    'deliveries of a booking': `/api/webhooks/deliveries?booking_id=${booking}`,
    delivery: `/api/webhooks/deliveries/${delivery}`,
    receivers: '/api/webhooks/receivers',
    calendar: '/api/calendar?city=Bangkok',
    activity: `/api/activities/${activity}`,
    supply: '/api/ops/supply',
    keys: '/api/keys',
    key: `/api/keys/${key}`,
    funnel: '/api/analytics/conversions?group_by=city',
    visits: '/api/analytics/visits?group_by=activity_id',
    revenue: '/api/analytics/revenue?group_by=month',
    readers: '/api/ops/readers',
    projections: '/api/ops/projections',
    'newest events': '/api/ops/events',
    'events of a type': '/api/ops/events?type=BookingCancelled',
    audit: '/api/ops/audit',
    operators: '/api/operators',
    'devices with unusual patterns': '/api/devices',
    exclusions: '/api/learning/exclude',
    experiments: '/api/ops/experiments',
  };
}

async function send<T>(
  { port }: BenchServer,
  method: string,
  path: string,
  caller: Readonly<Record<string, string>>,
  body?: object,
): Promise<T> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { ...caller, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  // The service's answer.
  const { data } = (await answer.json()) as { readonly data: T };
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
  return data;
}
