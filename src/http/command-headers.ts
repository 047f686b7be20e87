import type { Position, PositionForm } from '../eventsourcing/message.ts';
import type { Headers } from './envelope.ts';

/** Headers of the answer to a command: its position in the log, and whether the outcome is a replay. */
export function commandHeaders(
  outcome: { readonly position?: Position | null; readonly replayed?: boolean },
  { format }: PositionForm,
): Headers {
  const { position = null } = outcome;
  return {
    ...(position === null ? {} : { 'x-position': format(position) }),
    ...(outcome.replayed === true ? { 'idempotent-replayed': 'true' } : {}),
  };
}
