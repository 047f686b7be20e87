import type { Codec } from '../eventsourcing/codec.ts';
import { type Decider, fold } from '../eventsourcing/decider.ts';
import type { DomainEvent } from '../eventsourcing/message.ts';
import { type EventStore, eventsUpTo } from '../ports/event-store.ts';

/** Read access to streams. */
export type StreamReader = Pick<EventStore, 'read'>;

/** The state of a stream at a revision; null: the latest. */
export async function stateAt<State, E extends DomainEvent>(
  id: string,
  revision: number | null,
  decider: Pick<Decider<never, State, E, unknown>, 'initial' | 'evolve'>,
  codec: Codec<E>,
  store: StreamReader,
): Promise<State> {
  const read = await store.read(`${codec.category}-${id}`);
  const stored = read.kind === 'events' ? eventsUpTo(revision ?? Infinity, read.events) : [];
  return fold(
    decider,
    stored.map((event) => codec.decode(event)),
  );
}
