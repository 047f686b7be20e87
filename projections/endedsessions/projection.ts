import type { SessionEvent } from '../../src/domain/session/session.ts';
import { streamId, unreachable } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { EndedSessionDocument } from './read-model.ts';

/** One document per session that its caller ended, keyed by the session's id. */
export const endedSessionsProjection: Projection<EndedSessionDocument, SessionEvent> = {
  name: 'endedsessions',
  version: 1,
  categories: ['session'],
  indexes: [],
  idsOf: (event) => (event.type === 'SessionEnded' ? [streamId(event.stream)] : []),
  evolve(doc, event) {
    switch (event.type) {
      case 'SessionStarted':
        return doc;
      case 'SessionEnded':
        return { endedAt: event.data.at };
      default:
        return unreachable(event);
    }
  },
};
