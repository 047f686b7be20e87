import { afterAll, beforeAll, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { addDays, localDate } from '../../src/domain/activity/schedule.ts';
import { type Service, startService } from '../support/process.ts';
import { type Credentials, withKey, withToken } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const START_MS = 60_000;
/** An activity that is open every day, with room for all bookings here. */
const ACTIVITY = 'bkk-mahanakhon-skywalk';
const GUEST = { user_name: 'Ada Lovelace', user_email: 'ada@example.com' };
const BUSY = 'IDEMPOTENCY_IN_PROGRESS';

const directory = temporaryDirectory();
let service: Service;
beforeAll(async () => {
  service = await startService({ DATA_DIR: directory.path, PORT: '0', LOG_LEVEL: 'warn' });
}, START_MS);
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  directory.remove();
});

/** How much of the request is sent, and whether the first bytes of the answer are awaited, before the connection is cut. */
const STAGES = {
  'inside the head': { sent: (head: number) => head - 10, answered: false },
  'after the head': { sent: (head: number) => head, answered: false },
  'inside the body': { sent: (head: number, whole: number) => Math.floor((head + whole) / 2), answered: false },
  'before the answer': { sent: (_head: number, whole: number) => whole, answered: false },
  'inside the answer': { sent: (_head: number, whole: number) => whole, answered: true },
} as const;
type Stage = keyof typeof STAGES;

type Call = { readonly path: string; readonly headers: Credentials; readonly body: object };

function bytesOf({ path, headers, body }: Call): { readonly bytes: Buffer; readonly head: number } {
  const text = Buffer.from(JSON.stringify(body));
  const lines = Object.entries({ host: new URL(service.url).host, ...headers, 'content-length': String(text.length) });
  const head = Buffer.from(
    `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  );
  return { bytes: Buffer.concat([head, text]), head: head.length };
}

/** Sends the part of the request that the stage allows, and resets the connection. */
async function cut(call: Call, stage: Stage): Promise<void> {
  const { bytes, head } = bytesOf(call);
  const { sent, answered } = STAGES[stage];
  const { hostname, port } = new URL(service.url);
  await new Promise<void>((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const reset = (): void => void socket.resetAndDestroy();
    socket.once('error', reject);
    socket.once('close', () => resolve());
    socket.once('connect', () =>
      socket.write(bytes.subarray(0, sent(head, bytes.length)), answered ? undefined : reset),
    );
    if (answered) socket.once('data', reset);
  });
}

/** Cuts the request at the stage, then repeats it until the first one is not in progress any more, as an agent does. */
async function cutAndRepeated<Answer>(call: Call, stage: Stage): Promise<Answer> {
  await cut(call, stage);
  for (;;) {
    const response = await fetch(`${service.url}${call.path}`, {
      method: 'POST',
      headers: call.headers,
      body: JSON.stringify(call.body),
    });
    const text = await response.text();
    if (!text.includes(BUSY)) return JSON.parse(text) as Answer;
  }
}

type Data<T> = { readonly data: T };
type Tool<T> = { readonly result: { readonly structuredContent: T } };
type Logged = { readonly data: { readonly items: readonly { readonly type: string; readonly data: object }[] } };

async function eventsOf(stream: string): Promise<Logged['data']['items']> {
  const response = await fetch(`${service.url}/api/ops/streams/${stream}`, { headers: withToken(service.adminToken) });
  return ((await response.json()) as Logged).data.items;
}

/** A new key, and a date that no other case books. */
async function newCaller(stages: number): Promise<{ readonly headers: Credentials; readonly date: string }> {
  const response = await fetch(`${service.url}/api/keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...withToken(service.adminToken) },
    body: JSON.stringify({ name: 'An agent', plan: 'enterprise' }),
  });
  const { data } = (await response.json()) as Data<{ key: string }>;
  const date = addDays(localDate('Bangkok', Date.now()), 10 + stages);
  return { headers: { 'content-type': 'application/json', ...withKey(data.key) }, date };
}

/** Checks that the log has one booking for the date, confirmed and charged once. */
async function expectOneBooking(date: string, bookingId: string, slots: readonly string[]): Promise<void> {
  const allotment = await eventsOf(`allotment-${ACTIVITY}-${date}`);
  const types = allotment.map(({ type }) => type.replace(/\.v\d+$/, ''));
  expect(types.filter((type) => type.startsWith('Slots') || type === 'HoldTaken')).toEqual([...slots]);
  const booking = await eventsOf(`booking-${bookingId}`);
  expect(booking.filter(({ type }) => type.startsWith('BookingConfirmed'))).toHaveLength(1);
}

const stages = Object.keys(STAGES) as Stage[];

test.each(stages)('REST with an Idempotency-Key: cut %s, each request repeated, makes one booking', async (stage) => {
  const { headers, date } = await newCaller(stages.indexOf(stage));
  const place = { activity_id: ACTIVITY, booking_date: date, num_adults: 2 };
  const wish = { user_profile: { travel_type: 'couple' }, location: { city: 'Bangkok' } };
  const asked = { path: '/api/b2a/recommend', headers, body: wish };
  const recommended = await cutAndRepeated<Data<{ context: { log_id: string } }>>(asked, stage);
  const keyed = (key: string) => ({ ...headers, 'idempotency-key': key });
  const holding = { path: '/api/b2a/holds', headers: keyed('hold'), body: place };
  const held = await cutAndRepeated<Data<{ hold_id: string }>>(holding, stage);
  const origin = { context_log_id: recommended.data.context.log_id, hold_id: held.data.hold_id };
  const order = { path: '/api/b2a/execute_booking', headers: keyed('book'), body: { ...place, ...GUEST, ...origin } };
  const { data } = await cutAndRepeated<Data<{ booking_id: string; status: string }>>(order, stage);
  expect(data.status).toBe('confirmed');
  await expectOneBooking(date, data.booking_id, ['SlotsHeld', 'HoldTaken']);
});

test.each(stages)('the tool book without a key: cut %s, each call repeated, makes one booking', async (stage) => {
  const { headers, date } = await newCaller(stages.length + stages.indexOf(stage));
  const call = <Answer>(name: string, args: object): Promise<Answer> =>
    cutAndRepeated<Answer>(
      {
        path: '/mcp',
        headers: { ...headers, accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
      },
      stage,
    );
  type Recommended = Tool<{ context: { log_id: string } }>;
  const recommended = await call<Recommended>('recommend', { travel_type: 'couple', city: 'Bangkok' });
  const origin = { context_log_id: recommended.result.structuredContent.context.log_id };
  const order = { activity_id: ACTIVITY, booking_date: date, num_adults: 2, ...GUEST, ...origin };
  type Booked = Tool<{ booking_id: string; status: string }>;
  const { status, booking_id: id } = (await call<Booked>('book', order)).result.structuredContent;
  expect(status).toBe('confirmed');
  await expectOneBooking(date, id, ['SlotsClaimed']);
});
