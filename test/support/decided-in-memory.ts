import type { StreamHandler } from '../../src/actors/entity.ts';
import { type Decider, fold } from '../../src/eventsourcing/decider.ts';
import type { DomainEvent } from '../../src/eventsourcing/message.ts';
import { positionAt } from './recorded.ts';

/** The streams of a decider in memory, for a use case that is tested without a store. */
export function decidedInMemory<C, S, E extends DomainEvent, R>(
  decider: Decider<C, S, E, R>,
  before: Readonly<Record<string, readonly E[]>> = {},
): StreamHandler<C, S, E, R> & {
  readonly events: (id: string) => readonly E[];
  readonly ids: () => readonly string[];
} {
  const streams = new Map(Object.entries(before));
  const eventsOf = (id: string): readonly E[] => streams.get(id) ?? [];
  const stateOf = (id: string): S => fold(decider, eventsOf(id));
  return {
    categories: [],
    async handle(id, command) {
      const decision = decider.decide(command, stateOf(id));
      const revision = eventsOf(id).length - 1;
      if (decision.kind === 'rejected') return { ...decision, state: stateOf(id), revision };
      const { events } = decision;
      if (events.length > 0) streams.set(id, [...eventsOf(id), ...events]);
      const position = events.length > 0 ? positionAt(1) : null;
      return { kind: 'accepted', events, state: stateOf(id), revision: revision + events.length, position };
    },
    read: async (id) => ({ kind: 'state', state: stateOf(id), revision: eventsOf(id).length - 1 }),
    peek: stateOf,
    events: eventsOf,
    ids: () => [...streams.keys()],
  };
}
