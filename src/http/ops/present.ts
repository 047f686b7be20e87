import type { StoredEvent } from '../../ports/event-store.ts';
import type { ProjectionStatus } from '../context.ts';

export function presentProjection({ caughtUp, lastRebuild, ...status }: ProjectionStatus) {
  return { ...status, caught_up: caughtUp, last_rebuild: lastRebuild };
}

export function presentStored({ revision, position, id, type, data, cause }: StoredEvent) {
  const { at, by, correlationId, causationId } = cause;
  return {
    revision,
    position,
    event_id: id,
    type,
    // The data of every event is an object of named facts.
    data: data as Record<string, unknown>,
    at,
    by,
    correlation_id: correlationId,
    causation_id: causationId,
  };
}
