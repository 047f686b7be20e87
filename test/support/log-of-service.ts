import { START } from '../../src/eventsourcing/message.ts';
import type { StoredEvent } from '../../src/ports/event-store.ts';
import type { Service } from './service.ts';

/** The events without those of the audit, which each act of an operator and each read of guest data adds. */
export async function unaudited(service: Service): Promise<readonly StoredEvent[]> {
  return (await service.events()).filter(({ stream }) => !stream.startsWith('audit-'));
}

/** The position of the last event, as in X-Position. */
export async function headOf({ node }: Service): Promise<string> {
  const { store } = node.stores;
  return store.positions.format(await store.head());
}

/** Resolves once every projection has applied the whole log. */
export async function projected({ node }: Service): Promise<void> {
  const { operations } = node.projections;
  while (!(await operations.status()).every(({ caughtUp }) => caughtUp)) await new Promise(setImmediate);
}

/** Resolves with the first event of a type (`BookingStarted`) in the log, once it is there. */
export async function recorded({ node }: Service, type: string): Promise<StoredEvent> {
  const over = new AbortController();
  for await (const { events } of node.stores.store.subscribe({ after: START, signal: over.signal })) {
    const found = events.find((event) => event.type.startsWith(`${type}.v`));
    if (found !== undefined) return found;
  }
  throw new Error('the log has ended');
}

/** The same, while the time goes on in steps in which the background looks for what is due. */
export async function recordedInTime(service: Service, type: string): Promise<StoredEvent> {
  const found = recorded(service, type);
  for (;;) {
    service.clock.advance(1_000);
    const there = await Promise.race([found, new Promise<null>((resolve) => setImmediate(resolve, null))]);
    if (there !== null) return there;
  }
}
