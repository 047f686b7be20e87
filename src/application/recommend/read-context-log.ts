import type { ActivityId } from '../../domain/activity/activity.ts';
import type { Attribution } from '../../domain/booking/facts.ts';
import { type KeyId, type LogId, parseLogId } from '../../domain/ids.ts';
import { segmentOf } from '../../domain/recommendation/profile.ts';
import { rankOf, type ServedFacts } from '../../domain/recommendation/recommendation.ts';
import type { BookingContext } from '../booking/booking-context.ts';
import { noReply, type Refused, refused } from '../refusal.ts';

/** The context log of a recommendation that led to a request. */
export type ContextLog = { readonly kind: 'context-log'; readonly id: LogId; readonly facts: ServedFacts };

/** Reads a context log of the caller's key. Refuses another key's as unknown, to hide that it exists. */
export async function readContextLog(
  id: string,
  keyId: KeyId,
  { streams, clock, limits }: Pick<BookingContext, 'streams' | 'clock' | 'limits'>,
): Promise<ContextLog | Refused> {
  const parsed = parseLogId(id);
  if (parsed === null) return unknownLog(id);
  const reply = await streams.recommendations.read(parsed, clock.nowMs() + limits.responseMs);
  if (reply.kind === 'unavailable') return noReply(reply);
  if (reply.kind === 'erased' || reply.state.status === 'none' || reply.state.facts.keyId !== keyId)
    return unknownLog(id);
  return { kind: 'context-log', id: parsed, facts: reply.state.facts };
}

/** The attribution of a booking to a recommendation. */
export function attributionTo({ id, facts }: ContextLog, activityId: ActivityId): Attribution {
  const { experiment, profile } = facts;
  const arm = experiment === undefined ? {} : { experiment: { id: experiment.id, arm: experiment.arm } };
  return { logId: id, rank: rankOf(facts, activityId), segment: segmentOf(profile), ...arm };
}

function unknownLog(id: string): Refused {
  const message = `context_log_id "${id}" is not the log_id of a recommendation made with this key; send data.context.log_id of such a recommendation, or leave it out.`;
  return refused('INVALID_REQUEST', message);
}
