import { writeSync } from 'node:fs';
import type { EventStore } from '../../src/ports/event-store.ts';

/**
 * Where a request has its node stopped: `before` the so-manieth append that it makes, when that is decided and not sent
 * yet, or `after` it, when it stands in the log and nobody has heard of it.
 */
export type Stop = { readonly when: 'before' | 'after'; readonly append: number };

const STDOUT = 1;

/** The id of a request that is to stop its node. */
export function requestIdOf({ when, append }: Stop, name: string): string {
  return `stop-${when}-${append}-${name}`;
}

/** What a node says at the moment when it stops. */
export function wordsOfStop(requestId: string): string {
  return `stopped by ${requestId}`;
}

/** A store whose process stops (SIGSTOP) where the id of a request says so, once for each request. */
export function stopping<Store extends EventStore>(store: Store): Store {
  const append = store.append.bind(store);
  const stored = new Map<string, number>();
  const stopped = new Set<string>();
  store.append = async (stream, expectedRevision, events) => {
    const request = events[0]?.cause.correlationId ?? '';
    const stop = stopOf(request);
    if (stop === null) return append(stream, expectedRevision, events);
    const stand = (when: Stop['when'], count: number): void => {
      if (stop.when !== when || stop.append !== count || stopped.has(request)) return;
      stopped.add(request);
      standStill(request);
    };
    // One that comes too late, behind the event of somebody else, is made again and counts once.
    const count = (stored.get(request) ?? 0) + 1;
    stand('before', count);
    const outcome = await append(stream, expectedRevision, events);
    if (outcome.kind !== 'appended') return outcome;
    stored.set(request, count);
    stand('after', count);
    return outcome;
  };
  return store;
}

/** The line is out before the process stops: what is written synchronously waits for nobody. */
function standStill(request: string): void {
  writeSync(STDOUT, `${wordsOfStop(request)}\n`);
  process.kill(process.pid, 'SIGSTOP');
}

function stopOf(request: string): Stop | null {
  const [, when, append] = /^stop-(before|after)-(\d+)-/.exec(request) ?? [];
  return when === 'before' || when === 'after' ? { when, append: Number(append) } : null;
}
