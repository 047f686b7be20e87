import { START } from '../../eventsourcing/message.ts';
import type { EventFeed, EventStore, StoredEvent } from '../../ports/event-store.ts';

/** Appends that are sent before the oldest one is answered. */
const IN_FLIGHT = 256;
/** Events of a stream that follow each other in the log are appended together, within the limits of an append. */
const EVENTS_TOGETHER = 20;

/**
 * Appends the events of a log to an empty event store, in the order of the log, with their ids, causes and revisions.
 *
 * @param copied is called with the number of events so far
 * @throws Error if somebody else writes to one of the streams
 */
export async function copyLog(
  from: Pick<EventFeed, 'subscribe'>,
  to: Pick<EventStore, 'append'>,
  copied: (events: number) => void,
): Promise<void> {
  const over = new AbortController();
  const sent: { readonly count: number; readonly stored: Promise<void> }[] = [];
  const lastOfStream = new Map<string, Promise<void>>();
  let count = 0;
  const awaitOldest = async (): Promise<void> => {
    const oldest = sent.shift();
    await oldest?.stored;
    count += oldest?.count ?? 0;
    copied(count);
  };
  const send = async (events: readonly [StoredEvent, ...StoredEvent[]]): Promise<void> => {
    const [{ stream }] = events;
    await lastOfStream.get(stream);
    const stored = appendTo(to, events).finally(() => {
      if (lastOfStream.get(stream) === stored) lastOfStream.delete(stream);
    });
    // Awaited later; until then a fault is not an unhandled one.
    stored.catch(() => {});
    lastOfStream.set(stream, stored);
    sent.push({ count: events.length, stored });
  };
  for await (const { events, caughtUp } of from.subscribe({ after: START, signal: over.signal })) {
    for (const together of byStream(events)) {
      while (sent.length >= IN_FLIGHT) await awaitOldest();
      await send(together);
    }
    if (caughtUp) over.abort();
  }
  while (sent.length > 0) await awaitOldest();
}

async function appendTo(
  store: Pick<EventStore, 'append'>,
  events: readonly [StoredEvent, ...StoredEvent[]],
): Promise<void> {
  const [{ stream, revision }] = events;
  const outcome = await store.append(stream, revision - 1, events);
  if (outcome.kind !== 'appended') throw new Error(`${stream} was written by somebody else during the copy`);
}

function byStream(events: readonly StoredEvent[]): readonly [StoredEvent, ...StoredEvent[]][] {
  const runs: [StoredEvent, ...StoredEvent[]][] = [];
  for (const event of events) {
    const run = runs.at(-1);
    if (run !== undefined && run[0].stream === event.stream && run.length < EVENTS_TOGETHER) run.push(event);
    else runs.push([event]);
  }
  return runs;
}
