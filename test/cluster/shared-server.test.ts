import { afterAll, beforeAll, expect, test } from 'bun:test';
import { STREAM_CATEGORIES } from '../../src/domain/codecs.ts';
import { auditLog } from '../chaos/kill/audit.ts';
import { dateAhead } from '../chaos/kill/catalogue.ts';
import { readHistory } from '../chaos/kill/history.ts';
import { everyEvent } from '../chaos/kill/stopped.ts';
import type { BookingData } from '../chaos/kill/wire.ts';
import { otherProgram, someEvent } from '../contract/event-store/other-program.ts';
import { connected } from '../contract/event-store/remote.ts';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { openReceiver } from '../support/receiver.ts';
import { ADMIN, call, freeSlots, type Headers, keyKnownTo, listedBookings, ready, until, wish } from './client.ts';
import { type Cluster, type ClusterNode, startCluster } from './cluster.ts';

const START_MS = 60_000;
const SETTLED_MS = 30_000;
const SKIPPED = 'event of another program skipped';
const PREFIX = 'east.';

type Sent = { readonly event: string; readonly sequence: number; readonly data: { readonly booking_id: string } };
type Projections = { readonly items: readonly { readonly name: string; readonly caught_up: boolean }[] };

let cluster: Cluster;
beforeAll(async () => {
  // Mails are part of the test, also on a busy machine.
  cluster = await startCluster({ MAIL_WAIT_MS: '30000' });
}, BUILD_MS + START_MS);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

function book(node: ClusterNode, headers: Headers, more: Parameters<typeof wish>[2] = {}) {
  const body = wish(cluster.sale.large[0], dateAhead(cluster.sale, 1), more);
  return call<BookingData>(node, '/api/b2a/execute_booking', { headers, body });
}

async function freeTomorrow(node: ClusterNode, headers: Headers): Promise<number> {
  return (await freeSlots(node, headers, cluster.sale.large[0], dateAhead(cluster.sale, 1))) ?? Number.NaN;
}

/** The streams whose events a node has logged as skipped. */
function skippedBy({ program }: ClusterNode): string[] {
  return program.stdout.lines.flatMap((line) => (line.includes(SKIPPED) ? [String(JSON.parse(line).stream)] : []));
}

test(
  'a node skips the events that another program wrote to its streams, and starts again after them',
  async () => {
    await using other = otherProgram(cluster.events.url);
    await using receiver = openReceiver();
    for (const category of STREAM_CATEGORIES) await other.write(`${category}-0`, someEvent(), someEvent());
    let node = await cluster.start('all');
    await ready(node);
    const headers = await keyKnownTo([node], { webhook_url: receiver.url });
    const first = await book(node, headers);
    expect([first.status, first.data.status, first.data.email_sent]).toEqual([200, 'confirmed', true]);
    await receiver.arrived(1);

    // Every stream, those of checkpoints included.
    const streams = [...new Set((await cluster.log()).map(({ stream }) => stream))];
    for (const stream of streams) await other.write(stream, someEvent());
    for (const category of STREAM_CATEGORIES) await other.write(`${category}-0`, someEvent());
    const cancelled = await call(node, `/api/b2a/bookings/${first.data.booking_id}/cancel`, { headers, body: {} });
    expect([cancelled.status, cancelled.code]).toEqual([200, '']);
    const second = await book(node, headers);
    expect([second.status, second.data.status, second.data.email_sent]).toEqual([200, 'confirmed', true]);
    await until('the cancellation was sent', SETTLED_MS, async () => {
      const sent: Sent[] = receiver.received.map(({ body }) => JSON.parse(body));
      const own = sent.filter(({ data }) => data.booking_id === first.data.booking_id);
      const sequences = own.map(({ sequence }) => sequence);
      // The other program's event has a revision too, so numbers have a gap.
      return own.some(({ event }) => event === 'booking_cancelled') && new Set(sequences).size === own.length;
    });
    await until('both are listed', SETTLED_MS, async () => (await listedBookings(node, headers)).length === 2);

    expect(await node.program.terminate()).toBe(0);
    const skipped = skippedBy(node);
    expect(skipped).toContain('booking-0');
    expect(skipped).toEqual([...new Set(skipped)]);
    expect(node.program.stdout.text).toContain('events of other programs were skipped');
    node = await cluster.start('all');
    await ready(node);
    expect((await book(node, headers)).status).toBe(200);
    await until('all three are listed', SETTLED_MS, async () => (await listedBookings(node, headers)).length === 3);
    await until('every projection has caught up', SETTLED_MS, async () => {
      const { data } = await call<Projections>(node, '/api/ops/projections', { headers: ADMIN });
      return data.items.every(({ caught_up: caughtUp }) => caughtUp);
    });
    expect(auditLog(readHistory(await cluster.log()))).toEqual([]);
    expect(await node.program.terminate()).toBe(0);
  },
  START_MS * 3,
);

test(
  'two installations share a server, each with its own prefix and database, and do not see each other',
  async () => {
    const east = { WAYMARK_STREAM_PREFIX: PREFIX, MONGODB_URL: `${cluster.documents.url}east` };
    await cluster.migrate(east);
    const plain = await cluster.start('all');
    const prefixed = await cluster.start('all', east);
    await Promise.all([ready(plain), ready(prefixed)]);
    const [ofPlain, ofPrefixed] = [await keyKnownTo([plain]), await keyKnownTo([prefixed])];
    expect((await call(plain, '/api/health', { headers: ofPrefixed })).status).toBe(401);
    expect((await call(prefixed, '/api/health', { headers: ofPlain })).status).toBe(401);

    const [freeAtPlain, freeAtPrefixed] = [
      await freeTomorrow(plain, ofPlain),
      await freeTomorrow(prefixed, ofPrefixed),
    ];
    const atPlain = await book(plain, ofPlain, { num_adults: 2 });
    const atPrefixed = await book(prefixed, ofPrefixed, { num_adults: 3 });
    expect([atPlain.data.status, atPlain.data.email_sent]).toEqual(['confirmed', true]);
    expect([atPrefixed.data.status, atPrefixed.data.email_sent]).toEqual(['confirmed', true]);
    await until('each lists its own', SETTLED_MS, async () => {
      const lists = [await listedBookings(plain, ofPlain), await listedBookings(prefixed, ofPrefixed)];
      return lists[0]?.[0] === atPlain.data.booking_id && lists[1]?.[0] === atPrefixed.data.booking_id;
    });
    await until('each has sold its own slots', SETTLED_MS, async () => {
      const now = [await freeTomorrow(plain, ofPlain), await freeTomorrow(prefixed, ofPrefixed)];
      return now[0] === freeAtPlain - 2 && now[1] === freeAtPrefixed - 3;
    });
    expect(await listedBookings(prefixed, ofPrefixed)).toEqual([atPrefixed.data.booking_id]);
    const elsewhere = await call(prefixed, `/api/b2a/bookings/${atPlain.data.booking_id}`, { headers: ofPrefixed });
    expect([elsewhere.status, elsewhere.code]).toEqual([404, 'BOOKING_NOT_FOUND']);

    await using closing = new AsyncDisposableStack();
    const log = await everyEvent(
      closing.adopt(connected(cluster.events.url, { streamPrefix: PREFIX }), (it) => it.close()),
    );
    const bookings = new Set(log.flatMap(({ stream }) => (stream.startsWith('booking-') ? [stream] : [])));
    expect([...bookings]).toEqual([`booking-${atPrefixed.data.booking_id}`]);
    expect(log.filter(({ type }) => type.startsWith('ActivityListed')).length).toBeGreaterThan(0);
    expect((await cluster.log()).filter(({ stream }) => bookings.has(stream))).toEqual([]);
    expect(skippedBy(prefixed)).toEqual([]);
    expect([await plain.program.terminate(), await prefixed.program.terminate()]).toEqual([0, 0]);
  },
  START_MS * 3,
);
