import { findDelivery, type LoggedDelivery } from '../../../projections/deliveries/query.ts';
import type { KnownKey } from '../../application/key/authenticate.ts';
import { type Refused, refused } from '../../application/refusal.ts';
import { DAY_MS } from '../../eventsourcing/durations.ts';
import { parseDeliveryId } from '../../webhooks/identifiers.ts';
import type { HttpContext } from '../context.ts';

/** Maximum number of deliveries or events that one request sends again; a cursor continues with the rest. */
export const MAX_PER_REQUEST = 500;

/** The start of the delivery log, ms since the epoch. No route returns or sends anything older. */
export function logBeginsAtMs({ clock, webhooks }: HttpContext): number {
  return clock.nowMs() - webhooks.webhookLimits.logDays * DAY_MS;
}

/** A delivery in the key's log; null if the id is unknown. */
export async function ownDelivery(
  text: string,
  { keyId }: Pick<KnownKey, 'keyId'>,
  context: HttpContext,
): Promise<LoggedDelivery | null> {
  const id = parseDeliveryId(text);
  if (id === null) return null;
  const from = new Date(logBeginsAtMs(context)).toISOString();
  return findDelivery(context.readModels, await context.collection('deliveries'), { id, keyId, from });
}

export function noDelivery(text: string): Refused {
  const message = `There is no delivery "${text.slice(0, 80)}" in this key's log; GET /api/webhooks/deliveries lists them.`;
  return refused('NOT_FOUND', message);
}
