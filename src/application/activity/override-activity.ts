import type { Activity } from '../../domain/activity/activity.ts';
import type { ActivityCommand } from '../../domain/activity/decider.ts';
import type { Cause, Position } from '../../eventsourcing/message.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Digest } from '../../ports/digest.ts';
import { noReply, type Refused, serviceUnavailable } from '../refusal.ts';
import type { Streams } from '../streams.ts';
import { listingOf } from './listing.ts';

const DECISION_MS = 10_000;

/** The command was accepted; `position` is null if nothing changed. */
export type Accepted = { readonly kind: 'accepted'; readonly position: Position | null };

type Context = { readonly streams: Streams; readonly clock: Clock; readonly digest: Digest };

/** Replaces a catalogue entry with the operator's, until the override is withdrawn (docs/decisions/0041). */
export function overrideActivity(activity: Activity, cause: Cause, context: Context): Promise<Accepted | Refused> {
  const command = { type: 'OverrideActivity', ...listingOf(activity, context.digest) } as const;
  return handleCommand(activity.id, command, cause, context);
}

/** Restores the catalogue's entry of an activity, or retires it if the catalogue has none. */
export function withdrawOverride(id: string, cause: Cause, context: Context): Promise<Accepted | Refused> {
  return handleCommand(id, { type: 'WithdrawOverride' }, cause, context);
}

async function handleCommand(
  id: string,
  command: ActivityCommand,
  cause: Cause,
  { streams, clock }: Context,
): Promise<Accepted | Refused> {
  const reply = await streams.activities.handle(id, command, cause, clock.nowMs() + DECISION_MS);
  if (reply.kind === 'accepted') return { kind: 'accepted', position: reply.position };
  if (reply.kind === 'unavailable') return noReply(reply);
  return serviceUnavailable('contended', { call: `${command.type} to activity-${id}: ${reply.kind}` });
}
