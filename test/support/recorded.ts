import type { Cause, DomainEvent, Position, Recorded } from '../../src/eventsourcing/message.ts';
import { seededIds } from './ids.ts';

/** The cause of everything in a test that is not about causes. */
export const SOME_CAUSE: Cause = {
  correlationId: 'req_1',
  causationId: null,
  by: 'test',
  at: '2026-11-21T03:00:00.000Z',
};

/** The n-th place of the log, from 1. */
export function positionAt(place: number): Position {
  return place as Position;
}

/** Puts an event into a log: the place follows the event before it, the revision counts within the stream. */
export type Recorder = <const E extends DomainEvent>(stream: string, event: E, cause?: Partial<Cause>) => Recorded<E>;

/** A log of a test's own, from its first position on. */
export function recorder(): Recorder {
  const ids = seededIds();
  const revisions = new Map<string, number>();
  let place = 0;
  return (stream, event, cause) => {
    const revision = (revisions.get(stream) ?? -1) + 1;
    revisions.set(stream, revision);
    return {
      ...event,
      stream,
      revision,
      position: positionAt(++place),
      id: ids.uuid(),
      cause: { ...SOME_CAUSE, ...cause },
    };
  };
}
