import type { Position } from '../eventsourcing/message.ts';
import type { Headers } from './envelope.ts';

/** What the answer to a command says of itself: where it stands in the log, and that it was obeyed before. */
export function commandHeaders(outcome: { readonly position: Position | null; readonly replayed?: boolean }): Headers {
  return {
    ...(outcome.position === null ? {} : { 'x-position': outcome.position }),
    ...(outcome.replayed === true ? { 'idempotent-replayed': 'true' } : {}),
  };
}
