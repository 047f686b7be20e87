import { writeSync } from 'node:fs';
import type { EventStore } from '../../src/ports/event-store.ts';

/**
 * Where a request stops its node: `before` its n-th append (from 1), when that is decided but not sent, or `after` it, when
 * it is stored but not acknowledged.
 */
export type Stop = { readonly when: 'before' | 'after'; readonly append: number };

const STDOUT = 1;

/** The id of a request that stops its node. */
export function requestIdOf({ when, append }: Stop, name: string): string {
  return `stop-${when}-${append}-${name}`;
}

/** The line that a node writes when it stops. */
export function stopLine(requestId: string): string {
  return `stopped by ${requestId}`;
}

/** Stops the process (SIGSTOP) where the request's id says so, once per request. */
export function stopping<Store extends EventStore>(store: Store): Store {
  const append = store.append.bind(store);
  const stored = new Map<string, number>();
  const stopped = new Set<string>();
  store.append = async (stream, expectedRevision, events) => {
    const request = events[0]?.cause.correlationId ?? '';
    const stop = stopOf(request);
    if (stop === null) return append(stream, expectedRevision, events);
    const stopAt = (when: Stop['when'], count: number): void => {
      if (stop.when !== when || stop.append !== count || stopped.has(request)) return;
      stopped.add(request);
      stopProcess(request);
    };
    // An append that conflicts is repeated and counts once.
    const count = (stored.get(request) ?? 0) + 1;
    stopAt('before', count);
    const outcome = await append(stream, expectedRevision, events);
    if (outcome.kind !== 'appended') return outcome;
    stored.set(request, count);
    stopAt('after', count);
    return outcome;
  };
  return store;
}

/** Writes synchronously, so that the line is out before the process stops. */
function stopProcess(request: string): void {
  writeSync(STDOUT, `${stopLine(request)}\n`);
  process.kill(process.pid, 'SIGSTOP');
}

function stopOf(request: string): Stop | null {
  const [, when, append] = /^stop-(before|after)-(\d+)-/.exec(request) ?? [];
  return when === 'before' || when === 'after' ? { when, append: Number(append) } : null;
}
