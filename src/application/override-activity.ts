import type { Activity } from '../domain/activity/activity.ts';
import type { ActivityCommand } from '../domain/activity/decider.ts';
import type { Cause, Position } from '../eventsourcing/message.ts';
import type { Clock } from '../ports/clock.ts';
import type { Digest } from '../ports/digest.ts';
import { listingOf } from './listing.ts';
import { type Refused, serviceUnavailable } from './refusal.ts';
import type { Streams } from './streams.ts';

const DECISION_MS = 10_000;

/** That an operator's command was obeyed; `position` is null where nothing had to change. */
export type Obeyed = { readonly kind: 'obeyed'; readonly position: Position | null };

type Context = { readonly streams: Streams; readonly clock: Clock; readonly digest: Digest };

/** Puts an operator's entry in the place of what the catalogue says of its id, until it is withdrawn (docs/decisions/0041). */
export function overrideActivity(activity: Activity, cause: Cause, context: Context): Promise<Obeyed | Refused> {
  const command = { type: 'OverrideActivity', ...listingOf(activity, context.digest) } as const;
  return obey(activity.id, command, cause, context);
}

/** Goes back to what the catalogue says of an activity, or retires it where that does not name it. */
export function withdrawOverride(id: string, cause: Cause, context: Context): Promise<Obeyed | Refused> {
  return obey(id, { type: 'WithdrawOverride' }, cause, context);
}

async function obey(
  id: string,
  command: ActivityCommand,
  cause: Cause,
  { streams, clock }: Context,
): Promise<Obeyed | Refused> {
  const reply = await streams.activities.handle(id, command, cause, clock.nowMs() + DECISION_MS);
  if (reply.kind === 'accepted') return { kind: 'obeyed', position: reply.position };
  return serviceUnavailable(reply.kind === 'unavailable' ? reply.reason : 'contended');
}
