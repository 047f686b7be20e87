import { pause } from '../chaos/kill/real-time.ts';
import type { Wish } from '../chaos/kill/wire.ts';
import { ADMIN_TOKEN, type ClusterNode } from './cluster.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const SILENCE_MS = 30_000;

export type Headers = Readonly<Record<string, string>>;

export type Sending = { readonly headers?: Headers; readonly body?: object; readonly method?: 'GET' | 'DELETE' };

/** An HTTP answer. */
export type Answer<Data = Record<string, unknown>> = {
  readonly status: number;
  readonly code: string;
  /** The message of a refusal. */
  readonly error: string;
  readonly data: Data;
  readonly position: string;
  readonly retryAfter: string | null;
  /** The header `Idempotent-Replayed`. */
  readonly replayed: boolean;
};

/** Sends a request; POST if it has a body. @throws without an answer within SILENCE_MS */
export async function call<Data = Record<string, unknown>>(
  { url }: Pick<ClusterNode, 'url'>,
  path: string,
  { headers = {}, body, method = 'GET' }: Sending = {},
): Promise<Answer<Data>> {
  const request: RequestInit =
    body === undefined
      ? { method, headers }
      : { method: 'POST', headers: { ...headers, ...JSON_TYPE }, body: JSON.stringify(body) };
  const response = await fetch(`${url}${path}`, { ...request, signal: AbortSignal.timeout(SILENCE_MS) });
  // Not validated: the tests check the content.
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

/** Creates an API key without limits. On return every node given knows it. @returns its header */
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
  await until('the node is ready', withinMs, async () => {
    const { status, text } = await readiness(node);
    return status === 200 || text;
  });
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

/** A booking request for a new guest. */
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

/** Polls until the condition holds. A text says what is missing. @returns how long that took (ms). @throws after `withinMs` */
export async function until(what: string, withinMs: number, ask: () => Promise<boolean | string>): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    const answer = await ask().catch(String);
    if (answer === true) return Math.round(performance.now() - startedAt);
    if (performance.now() - startedAt >= withinMs) throw new Error(`${what}: not within ${withinMs} ms: ${answer}`);
    await pause(50);
  }
}
