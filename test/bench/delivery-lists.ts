import { deliveriesProjection } from '../../projections/deliveries/projection.ts';
import { type DeliveriesQuery, listDeliveries } from '../../projections/deliveries/query.ts';
import { openReadModelStore } from '../../src/adapters/sqlite/read-model-store.ts';
import { WEBHOOK_EVENTS } from '../../src/domain/delivery/delivery.ts';
import { servingCollection } from '../../src/runtime/builds.ts';
import { bookingId, keyId } from '../support/examples.ts';
import { positionAt } from '../support/recorded.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/**
 * `bun test/bench/delivery-lists.ts [DELIVERIES]` prints the time of a page of 20 among so many deliveries (default 100,000) of 100
 * keys in the embedded read models, in ms of CPU (median of 30).
 */
const DELIVERIES = Number(process.argv[2] ?? 100_000);
const BATCH = 500;
const BEGAN_MS = Date.parse('2026-09-01T00:00:00Z');

function delivery(n: number) {
  const at = new Date(BEGAN_MS + n * 60_000).toISOString();
  // One in 1,000 has failed, and one in 10,000 is being retried.
  const status = n % 10_000 === 7 ? 'retrying' : n % 1_000 === 3 ? 'failed' : 'success';
  return {
    deliveryId: `dlv_${String(n).padStart(24, '0')}`,
    eventId: `evt_${n}`,
    event: WEBHOOK_EVENTS[n % WEBHOOK_EVENTS.length],
    bookingId: bookingId(`bk_${Math.floor(n / 3)}`),
    keyId: keyId(`key_${n % 100}`),
    endpoint: { kind: 'key' },
    bookingRevision: 1,
    activityRevision: 0,
    status,
    attempts: [{ at, responseCode: status === 'success' ? 200 : 503, responseTimeMs: 12, error: null }],
    keyRevision: 0,
    nextAttemptAtMs: null,
    exhaustion: null,
    scheduledAt: at,
  };
}

const ANY: DeliveriesQuery = {
  keyId: null,
  status: null,
  event: null,
  bookingId: null,
  from: new Date(BEGAN_MS).toISOString(),
  to: null,
  direction: 'desc',
  limit: 20,
  after: null,
};
const LISTS: Readonly<Record<string, Partial<DeliveriesQuery>>> = {
  'all, newest first': {},
  'all that failed': { status: 'failed' },
  'all being retried': { status: 'retrying' },
  'one event': { event: 'qr_verified' },
  'one event that failed': { event: 'booking_cancelled', status: 'failed' },
  'one key': { keyId: keyId('key_42') },
  'one booking': { bookingId: bookingId('bk_1000') },
  'a span in the middle': { from: '2026-10-01T00:00:00.000Z', to: '2026-10-02T00:00:00.000Z' },
};

using directory = temporaryDirectory();
const readModels = openReadModelStore(directory.file('read-models.db'));
const collection = await servingCollection(deliveriesProjection, readModels);
for (let from = 0; from < DELIVERIES; from += BATCH) {
  const writes = Array.from({ length: BATCH }, (_, n) => {
    const doc = delivery(from + n);
    return { id: doc.deliveryId, doc, position: positionAt(1), loaded: null };
  });
  await readModels.commit(collection, writes, positionAt(1));
}
await readModels.ensure(collection, deliveriesProjection.indexes);
for (const [name, query] of Object.entries(LISTS)) {
  const times: number[] = [];
  let found = 0;
  for (let run = 0; run < 30; run++) {
    const started = process.cpuUsage();
    found = (await listDeliveries(readModels, collection, { ...ANY, ...query })).items.length;
    const { user, system } = process.cpuUsage(started);
    times.push((user + system) / 1_000);
  }
  const [median = 0] = times.toSorted((a, b) => a - b).slice(15);
  process.stdout.write(`${name.padEnd(24)} ${String(found).padStart(3)} items ${median.toFixed(2)} ms\n`);
}
await readModels.close();
