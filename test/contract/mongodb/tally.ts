import type { Recorded } from '../../../src/eventsourcing/message.ts';
import type { Projection } from '../../../src/eventsourcing/projection.ts';
import type { StoredEvent } from '../../../src/ports/event-store.ts';
import type { StoredDocument } from '../../../src/ports/read-model-store.ts';
import { recorder } from '../../support/recorded.ts';

type Tally = { readonly events: number; readonly last: string };

/** Counts each event in several shared documents, which reveals events counted twice or not at all. */
export const TALLY: Projection<Tally> = {
  name: 'tally',
  version: 1,
  categories: ['activity'],
  indexes: [['events']],
  idsOf: ({ stream }) => ['all', stream, `last letter ${stream.at(-1) ?? ''}`],
  evolve: (doc, { id }) => ({ events: (doc?.events ?? 0) + 1, last: id }),
};

/** Events of seven streams, in turn. */
export function givenEvents(count: number): readonly StoredEvent[] {
  const record = recorder();
  return Array.from({ length: count }, (_, n) =>
    record(`activity-${'abcdefg'[n % 7] ?? ''}`, { type: 'ActivityRetired.v1', data: {} }),
  );
}

/** The documents of the tally, counted by hand. */
export function counted(events: readonly Recorded[]): readonly StoredDocument[] {
  const documents = new Map<string, StoredDocument>();
  for (const event of events) {
    for (const id of TALLY.idsOf(event)) {
      const mine = events.filter((other) => other.position <= event.position && TALLY.idsOf(other).includes(id));
      documents.set(id, { id, doc: { events: mine.length, last: event.id }, position: event.position });
    }
  }
  return [...documents.values()].toSorted((left, right) => (left.id < right.id ? -1 : 1));
}
