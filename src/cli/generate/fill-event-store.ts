import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemLog } from '../../adapters/system/log.ts';
import { openStores } from '../../app/embedded-stores.ts';
import { firstSecretKey } from '../../app/secrets.ts';
import { readFirstSupply } from '../../app/supply-refresh.ts';
import type { Config } from '../../config.ts';
import { decodeEvent, STREAM_CATEGORIES } from '../../domain/codecs.ts';
import { START } from '../../eventsourcing/message.ts';
import type { DecodedEventStore } from '../../ports/event-store.ts';
import { copyLog } from './copy-log.ts';
import { type Generated, generateHistory, type Plan, storeCheckpoints, type Watching } from './generate-history.ts';
import { SeededRandom } from './seeded-random.ts';
import { openSimulatedService } from './simulated-service.ts';

const ERASED_TOGETHER = 256;

/**
 * Generates a history in the event store that the settings name, with the secrets and the supply that they name. A history
 * for EventStoreDB is made in a temporary directory and copied: its appends wait for each other less than its use cases do.
 */
export async function fillEventStore(
  config: Config,
  plan: Plan,
  watching: Watching,
): Promise<Generated | { readonly kind: 'not-empty'; readonly name: string }> {
  const log = systemLog('warn');
  const { supply } = (await readFirstSupply(config, log)).take();
  await using opened = new AsyncDisposableStack();
  const { events: filled, name } = opened.adopt(await openEventStore(config), (it) => it.close());
  if (!(await isEmpty(filled))) return { kind: 'not-empty', name };
  const isCopied = config.eventStore !== null;
  const made = isCopied ? opened.use(openTemporary()).events : filled;
  const erased: string[] = [];
  const store: DecodedEventStore = {
    ...made,
    async erase(stream) {
      erased.push(stream);
      await made.erase(stream);
    },
  };
  // A history for EventStoreDB needs no data directory.
  const secretKey = firstSecretKey(config, log);
  const random = SeededRandom.of(plan.seed);
  const opening = { store, supply, config, secretKey, log };
  const service = opened.adopt(openSimulatedService(opening, random.fork()), (it) => it.stop());
  const generated = await generateHistory(plan, service, random, watching);
  if (isCopied) {
    const { events } = generated;
    await copyLog(made, filled, (copied) => watching.report({ kind: 'copied', copied, events }));
    for (let from = 0; from < erased.length; from += ERASED_TOGETHER)
      await Promise.all(erased.slice(from, from + ERASED_TOGETHER).map((stream) => filled.erase(stream)));
  }
  await storeCheckpoints(filled, plan, service, random.fork());
  return generated;
}

type Opened = { readonly name: string; readonly events: DecodedEventStore; close(): Promise<void> };

// Nobody waits for readiness here.
const unknownEvents = { note: () => {} };

async function openEventStore(config: Config): Promise<Opened> {
  const { eventStore, dataDirectory, streamPrefix } = config;
  if (eventStore === null) return openEmbedded(dataDirectory);
  // Loaded here, so that no other command waits for the driver.
  const [{ connectEventStore }, { decodedStore }] = await Promise.all([
    import('../../adapters/eventstoredb/event-store.ts'),
    import('../../runtime/decoded-store.ts'),
  ]);
  const server = connectEventStore(eventStore, { log: systemLog('error'), streamPrefix });
  const events = decodedStore(server, { decode: decodeEvent, unknownEvents });
  const close = async (): Promise<void> => {
    await events.close();
    await server.close();
  };
  return { name: 'EVENTSTORE_URL', events, close };
}

function openEmbedded(dataDirectory: string): Opened {
  // An unfinished history is of no use, so it need not survive a power failure.
  const stores = openStores({ dataDirectory }, unknownEvents, 'close');
  return { name: dataDirectory, events: stores.store, close: () => stores.close() };
}

function openTemporary(): Opened & AsyncDisposable {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-history-'));
  const stores = openEmbedded(directory);
  return {
    ...stores,
    async [Symbol.asyncDispose]() {
      await stores.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function isEmpty(store: DecodedEventStore): Promise<boolean> {
  const over = new AbortController();
  const batches = store.subscribe({ after: START, categories: STREAM_CATEGORIES, maxBatch: 1, signal: over.signal });
  for await (const { events, caughtUp } of batches) {
    if (events.length === 0 && !caughtUp) continue;
    over.abort();
    return events.length === 0;
  }
  throw new Error('the log has ended');
}
