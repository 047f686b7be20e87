import { type Decider, fold } from '../eventsourcing/decider.ts';
import type { DomainEvent, Recorded } from '../eventsourcing/message.ts';
import { type DecodedEventStore, eventsUpTo } from '../ports/event-store.ts';

/** Read access to streams. */
export type StreamReader = Pick<DecodedEventStore, 'read'>;

/** The state of a stream at a revision; null: the latest. */
export async function stateAt<State, E extends DomainEvent>(
  stream: string,
  revision: number | null,
  decider: Pick<Decider<never, State, E, unknown>, 'initial' | 'evolve'>,
  store: StreamReader,
): Promise<State> {
  const read = await store.read(stream);
  // A stream has only events of its own category.
  const events = read.kind === 'events' ? (read.decoded as readonly Recorded<E>[]) : [];
  return fold(decider, eventsUpTo(revision ?? Infinity, events));
}
