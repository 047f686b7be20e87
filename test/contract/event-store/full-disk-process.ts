import { join } from 'node:path';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { openRateLimiter } from '../../../src/adapters/sqlite/rate-limiter.ts';
import { openReadModelStore } from '../../../src/adapters/sqlite/read-model-store.ts';
import { START } from '../../../src/eventsourcing/message.ts';
import type { EventStore } from '../../../src/ports/event-store.ts';
import { StoreUnavailable } from '../../../src/ports/store-unavailable.ts';
import { newEvent } from './scene.ts';

// Runs the embedded stores in a separate process whose disk is full for a while, and prints the outcomes as JSON:
//
//     full-disk-process.ts <directory>

const STREAMS = 20;
const LIMITS = { perMinute: 2, perDay: 2 };
const [directory = ''] = process.argv.slice(2);
const path = join(directory, 'events.db');

function limit(bytes: string): void {
  const { success, stderr } = Bun.spawnSync(['prlimit', '--pid', `${process.pid}`, `--fsize=${bytes}:unlimited`]);
  if (!success) throw new Error(String(stderr));
}

/** A short form of a fault, with the engine of a StoreUnavailable. */
function outcomeOf<T extends { readonly kind: string }>(outcome: Promise<T>): Promise<string> {
  return outcome.then(
    ({ kind }) => kind,
    (fault: unknown) => (fault instanceof StoreUnavailable ? `${fault.engine} unavailable` : String(fault)),
  );
}

async function positionsOf(store: EventStore): Promise<number[]> {
  const head = await store.head();
  const positions: number[] = [];
  for await (const batch of store.subscribe({ after: START, signal: new AbortController().signal })) {
    positions.push(...batch.events.map(({ position }) => Number(position)));
    if (batch.upTo >= head) break;
  }
  return positions;
}

const store = openEventStore(path);
const readModels = openReadModelStore(join(directory, 'read-models.db'));
const limiter = openRateLimiter(join(directory, 'usage.db'));
await readModels.ensure('cities.v1.b1', []);
const [earlier = [], meanwhile = []] = ['earlier', 'meanwhile'].map((name) =>
  Array.from({ length: STREAMS }, (_, index) => ({ stream: `${name}-${index}`, events: [newEvent({ index })] })),
);
/** All in one group commit. */
const appendAll = async (batch: typeof earlier): Promise<string[]> => [
  ...new Set(await Promise.all(batch.map(({ stream, events }) => outcomeOf(store.append(stream, -1, events))))),
];
const written = { id: 'bkk', doc: {}, position: START, loaded: null };
const commit = () => outcomeOf(readModels.commit('cities.v1.b1', [written], START).then(() => ({ kind: 'written' })));
const take = () => outcomeOf(limiter.take('key', LIMITS, 0));
const writable = (): boolean[] => [store, readModels, limiter].map((each) => each.writable());

const before = [await appendAll(earlier), writable()];
limit('0');
const full = [await appendAll(meanwhile), await commit(), await take(), writable()];
const read = [(await store.read('earlier-0')).kind, (await store.read('meanwhile-0')).kind];
limit('unlimited');
const after = [writable(), await appendAll(meanwhile), await commit(), await take(), await take(), await take()];
const positions = await positionsOf(store);
await store.close();
const reopened = openEventStore(path);
const again = await positionsOf(reopened);
for (const each of [reopened, readModels, limiter]) await each.close();
process.stdout.write(JSON.stringify({ before, full, read, after, positions, again }));
