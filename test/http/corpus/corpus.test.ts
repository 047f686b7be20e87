import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpSync } from 'node:fs';
import { type Position, START } from '../../../src/eventsourcing/message.ts';
import type { StoredEvent } from '../../../src/ports/event-store.ts';
import { CATALOGUE_DIRECTORY } from '../../../src/supply/catalogue-file.ts';
import { connectTo, type ToolClient } from '../../support/mcp.ts';
import { openService, type Service } from '../../support/service.ts';
import { ask, type Reply } from './ask.ts';
import { changed, ENTRIES, type Entry, type Members } from './entry.ts';
import { books, isUnderstood, misunderstood, movesMoney, nextOf, untold } from './judge.ts';

/** Only ends a run that hangs. */
const TIMEOUT_MS = 120_000;

let service: Service;
let tools: ToolClient;
beforeAll(async () => {
  service = await openService({ catalogue: (path) => cpSync(CATALOGUE_DIRECTORY, path, { recursive: true }) });
  tools = await connectTo(service, service.key);
});
afterAll(async () => {
  await tools?.[Symbol.asyncDispose]();
  await service?.stop();
});

type Result = {
  readonly entry: Entry;
  /** `lost`: neither the answer nor the corrected request does what was meant. */
  readonly outcome: 'understood' | 'recovered' | 'lost';
  readonly why: string | null;
  /** Whether bookings or holds changed that should not have. */
  readonly accident: boolean;
};

let position: Position = START;
/** The events of bookings and holds since the last call. */
async function newEvents(): Promise<readonly StoredEvent[]> {
  const { store } = service.node.stores;
  // A subscription waits for the first event after its start.
  if ((await store.head()) === position) return [];
  const events: StoredEvent[] = [];
  for await (const batch of store.subscribe({ after: position, signal: new AbortController().signal })) {
    events.push(...batch.events);
    position = batch.upTo;
    if (batch.caughtUp) break;
  }
  return events.filter(({ stream }) => /^(booking|hold)-/.test(stream));
}

async function resultOf(entry: Entry, number: number): Promise<Result> {
  const isChange = entry.in === 'modify' || entry.in === 'cancel';
  const bookingId = isChange ? (await service.book(changed('book', {}))).data.booking_id : '';
  await newEvents();
  const send = (request: Members | string): Promise<Reply> =>
    ask(service, tools, { operation: entry.in, request, bookingId, idempotencyKey: `entry ${number}` });
  const reply = await send(entry.raw ?? changed(entry.in, entry.send ?? {}, entry.drop));
  const accident = (await newEvents()).length > 0 && !(isUnderstood(entry) && books(entry));
  if (reply.kind === 'data') {
    const why = isUnderstood(entry) ? misunderstood(entry, reply.data) : 'it was accepted';
    return { entry, outcome: why === null ? 'understood' : 'lost', why, accident };
  }
  const lacking = untold(entry, reply);
  if (lacking !== null) return { entry, outcome: 'lost', why: `${lacking}: ${reply.text}`, accident };
  const next = await send(nextOf(entry));
  const booked = (await newEvents()).length > 0 && !books(entry);
  const why = next.kind === 'refusal' ? `the corrected request is refused: ${next.text}` : null;
  return { entry, outcome: why === null ? 'recovered' : 'lost', why, accident: accident || booked };
}

function figuresOf(results: readonly Result[]): string {
  const share = (outcome: Result['outcome']): string => {
    const found = results.filter((result) => result.outcome === outcome).length;
    return `${found} (${((found / results.length) * 100).toFixed(1)} %) ${outcome}`;
  };
  const languages = new Set(results.map(({ entry }) => entry.lang)).size;
  const accidents = results.filter(({ accident }) => accident).length;
  return `${results.length} requests in ${languages} languages: ${share('understood')}, ${share('recovered')} in one more call, ${share('lost')}; ${accidents} booked by accident`;
}

test(
  'sloppy requests are understood, or refused with a text from which the next request is right',
  async () => {
    const results: Result[] = [];
    for (const entry of ENTRIES) results.push(await resultOf(entry, results.length));
    process.stdout.write(`corpus: ${figuresOf(results)}\n`);
    const unmet = results.filter(
      ({ entry, outcome, accident }) => accident || outcome !== (isUnderstood(entry) ? 'understood' : 'recovered'),
    );
    const described = ({ entry, why, accident }: Result): string =>
      `${JSON.stringify(entry)}: ${accident ? 'BOOKED BY ACCIDENT' : (why ?? 'it was refused')}`;
    expect(unmet.map(described)).toEqual([]);
    expect(results.length).toBeGreaterThanOrEqual(300);
  },
  TIMEOUT_MS,
);

test('the corpus made the bookings that its entries say, and no others', async () => {
  const expected = ENTRIES.filter((entry) => movesMoney(entry) && entry.in !== 'hold').filter(
    (entry) => entry.in === 'modify' || entry.in === 'cancel' || books(entry),
  );
  const streams = new Set((await service.events()).map(({ stream }) => stream));
  expect([...streams].filter((stream) => stream.startsWith('booking-'))).toHaveLength(expected.length);
});
