import { pause } from '../chaos/kill/real-time.ts';
import type { Wish } from '../chaos/kill/wire.ts';
import { ADMIN_TOKEN, type ClusterNode } from './cluster.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const SILENCE_MS = 30_000;

export type Headers = Readonly<Record<string, string>>;

export type Sending = { readonly headers?: Headers; readonly body?: object; readonly method?: 'GET' | 'DELETE' };

/** An answer over real HTTP; `data` is what it carries, or the refusal. */
export type Told<Data> = {
  readonly status: number;
  readonly code: string;
  /** What a refusal says. */
  readonly error: string;
  readonly data: Data;
  readonly position: string;
  readonly retryAfter: string | null;
  /** Whether it says that the request had been answered before. */
  readonly replayed: boolean;
};

/** One request; what has a body is posted. @throws where there is no answer */
export async function call<Data = Record<string, unknown>>(
  { url }: Pick<ClusterNode, 'url'>,
  path: string,
  { headers = {}, body, method = 'GET' }: Sending = {},
): Promise<Told<Data>> {
  const request: RequestInit =
    body === undefined
      ? { method, headers }
      : { method: 'POST', headers: { ...headers, ...JSON_TYPE }, body: JSON.stringify(body) };
  const response = await fetch(`${url}${path}`, { ...request, signal: AbortSignal.timeout(SILENCE_MS) });
  // The parser of this boundary: what an answer holds is for the tests to judge.
  const answer = (await response.json()) as { data: Data; code?: string; error?: string };
  return {
    status: response.status,
    code: answer.code ?? '',
    error: answer.error ?? '',
    data: answer.data,
    position: response.headers.get('x-position') ?? '',
    retryAfter: response.headers.get('retry-after'),
    replayed: response.headers.get('idempotent-replayed') === 'true',
  };
}

export const ADMIN: Headers = { authorization: `Bearer ${ADMIN_TOKEN}` };

/** An API key without limits, and the header that says it. Every node given knows it when this resolves. */
export async function keyKnownTo(nodes: readonly ClusterNode[], settings: object = {}): Promise<Headers> {
  const [first] = nodes;
  if (first === undefined) throw new Error('there is no node');
  const created = await call<{ key: string }>(first, '/api/keys', {
    headers: ADMIN,
    body: { name: 'An agent', plan: 'enterprise', ...settings },
  });
  const headers = { 'x-api-key': created.data.key };
  await Promise.all(
    nodes.map(async (node) => {
      while ((await call(node, '/api/health', { headers })).status !== 200) await pause(20);
    }),
  );
  return headers;
}

export async function readiness({ url }: Pick<ClusterNode, 'url'>): Promise<{ status: number; text: string }> {
  const response = await fetch(`${url}/readyz`);
  return { status: response.status, text: await response.text() };
}

export async function ready(node: Pick<ClusterNode, 'url'>, withinMs = 60_000): Promise<void> {
  await until('the node is ready', withinMs, async () => (await readiness(node)).status === 200);
}

/** The ids of the newest bookings of a key, at most 100. */
export async function listedBookings(node: Pick<ClusterNode, 'url'>, headers: Headers): Promise<readonly string[]> {
  type Page = { readonly items: readonly { readonly booking_id: string }[] };
  const { data } = await call<Page>(node, '/api/b2a/bookings?limit=100', { headers });
  return data.items.map(({ booking_id: id }) => id);
}

/** The free slots that the inventory shows; null if the activity is not listed on the date. */
export async function freeSlots(
  node: Pick<ClusterNode, 'url'>,
  headers: Headers,
  activity: string,
  date: string,
): Promise<number | null> {
  type Inventory = { readonly inventory: readonly { readonly available_slots: number }[] };
  const { data } = await call<Inventory>(node, `/api/b2a/inventory?activity_id=${activity}&date=${date}`, { headers });
  return data.inventory[0]?.available_slots ?? null;
}

let guests = 0;

/** A wish that no other is like: each names a guest of its own. */
export function wish(activity: string, date: string, more: Partial<Wish> = {}): Wish {
  const mark = `quetzal-${String(++guests).padStart(6, '0')}`;
  return {
    activity_id: activity,
    booking_date: date,
    num_adults: 1,
    num_children: 0,
    user_name: `Ada ${mark}`,
    user_email: `${mark}@example.com`,
    special_requests: null,
    context_log_id: null,
    ...more,
  };
}

/** How long it took (ms) until the answer was yes. @throws when it was not within the time */
export async function until(what: string, withinMs: number, ask: () => Promise<boolean>): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    if (await ask().catch(() => false)) return Math.round(performance.now() - startedAt);
    if (performance.now() - startedAt >= withinMs) throw new Error(`${what}: not within ${withinMs} ms`);
    await pause(50);
  }
}
