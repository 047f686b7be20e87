import { existsSync, readFileSync } from 'node:fs';
import type { EventStore } from '../../../src/ports/event-store.ts';

/** Names the file with the plan: the number of appends before the death, by request id. */
export const PLAN = 'DIES_BY_PLAN';
export type Plan = Readonly<Record<string, number>>;

/**
 * A store that kills its process once every request of the plan has made its number of appends. The log has all these
 * appends, but no client receives an answer. Until then the requests do not wait for one another.
 */
export function mortal<Store extends EventStore>(store: Store): Store {
  const append = store.append.bind(store);
  const started = new Map<string, number>();
  const ended = new Set<string>();
  store.append = async (stream, expectedRevision, events) => {
    const plan = readPlan(process.env[PLAN] ?? '');
    const request = events[0]?.cause.correlationId ?? '';
    const most = plan[request];
    if (most === undefined) return append(stream, expectedRevision, events);
    const count = (started.get(request) ?? 0) + 1;
    if (count > most) return never();
    started.set(request, count);
    const outcome = await append(stream, expectedRevision, events);
    if (outcome.kind !== 'appended') throw new Error(`${stream} was written by two requests of the plan`);
    if (count < most) return outcome;
    ended.add(request);
    if (ended.size === Object.keys(plan).length) process.kill(process.pid, 'SIGKILL');
    return never();
  };
  return store;
}

function readPlan(path: string): Plan {
  // The test wrote it.
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Plan) : {};
}

function never(): Promise<never> {
  return new Promise(() => {});
}
