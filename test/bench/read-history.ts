import { join } from 'node:path';
import { PROJECTIONS } from '../../projections/index.ts';
import { openEventStore } from '../../src/adapters/sqlite/event-store.ts';
import { readConfig } from '../../src/config.ts';
import { decodeEvent } from '../../src/domain/codecs.ts';
import { START } from '../../src/eventsourcing/message.ts';

/** Reads and decodes the events of a projection, and does nothing else. Prints their number, the duration and the CPU time. */
const [, , name = ''] = process.argv;
const projection = PROJECTIONS.find((known) => known.name === name);
if (projection === undefined) throw new Error(`there is no projection "${name}"`);
const store = openEventStore(join(readConfig(process.env, 'command').dataDirectory, 'events.db'));
const { categories } = projection;
const over = new AbortController();
const [startedMs, cpuBefore] = [performance.now(), process.cpuUsage()];
let decoded = 0;
for await (const { events, caughtUp } of store.subscribe({ after: START, categories, signal: over.signal })) {
  for (const event of events) if (decodeEvent(event) !== null) decoded++;
  if (caughtUp) over.abort();
}
const { user, system } = process.cpuUsage(cpuBefore);
const ms = performance.now() - startedMs;
process.stdout.write(`${JSON.stringify({ events: decoded, ms, cpuMs: (user + system) / 1_000 })}\n`);
await store.close();
