import { findDelivery, type LoggedDelivery } from '../../../projections/deliveries/query.ts';
import type { KeyId } from '../../domain/ids.ts';
import { DAY_MS } from '../../eventsourcing/durations.ts';
import type { Cause } from '../../eventsourcing/message.ts';
import type { ReadModelStore } from '../../ports/read-model-store.ts';
import type { WebhookContext } from '../../webhooks/context.ts';
import { parseDeliveryId } from '../../webhooks/identifiers.ts';
import { type Refused, refused } from '../refusal.ts';

/** Dependencies of the use cases that read the delivery log or the feed. */
export type DeliveryLogContext = {
  readonly readModels: ReadModelStore;
  /** The collection that currently serves a projection's queries. */
  readonly collection: (projection: string) => Promise<string>;
  readonly webhooks: WebhookContext;
};

/** Maximum number of deliveries or events that one request sends again; a cursor continues with the rest. */
export const MAX_PER_REQUEST = 500;

/** The later of a time and the start of the delivery log, ISO 8601 UTC. No route returns or sends anything older. */
export function inLog(
  fromMs: number,
  { clock, webhookLimits }: Pick<WebhookContext, 'clock' | 'webhookLimits'>,
): string {
  return new Date(Math.max(fromMs, clock.nowMs() - webhookLimits.logDays * DAY_MS)).toISOString();
}

/**
 * Belongs to the scope of an Idempotency-Key: the same text of another caller, an operator, is another request. Empty for the
 * key itself, as in earlier releases.
 */
export function askerOf(keyId: KeyId, { by }: Cause): readonly string[] {
  return by === keyId ? [] : [by];
}

/** A delivery in the key's log, or (null) in that of any key. */
export async function readDelivery(
  text: string,
  keyId: KeyId | null,
  { readModels, collection, webhooks }: DeliveryLogContext,
): Promise<{ readonly kind: 'delivery'; readonly delivery: LoggedDelivery } | Refused> {
  const id = parseDeliveryId(text);
  const from = inLog(0, webhooks);
  const delivery =
    id === null ? null : await findDelivery(readModels, await collection('deliveries'), { id, keyId, from });
  if (delivery !== null) return { kind: 'delivery', delivery };
  const log = keyId === null ? 'the log' : "this key's log";
  const message = `There is no delivery "${text.slice(0, 80)}" in ${log}; GET /api/webhooks/deliveries lists them.`;
  return refused('NOT_FOUND', message);
}
