import type { UsageAt } from '../../application/key/admit-key.ts';
import type { KnownKey } from '../../application/key/authenticate.ts';
import type { KeyUse } from '../../application/key/request-statistics.ts';
import type { ExistingKey, ReplacedValue } from '../../domain/apikey/apikey.ts';
import { WEBHOOK_EVENTS } from '../../domain/delivery/delivery.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RequestCounts } from '../../ports/request-statistics.ts';
import { presentLimits } from './limits.ts';

type RotatedSecret = { readonly key: ExistingKey; readonly webhookSecret: string; readonly oldUntil: string };

type Shown = Pick<KnownKey, 'active' | 'createdAt' | 'exploration' | 'hotelIds' | 'limits' | 'mode'> &
  Omit<ExistingKey['facts'], 'hash' | 'webhookSecret' | 'at'>;

/** A key as the public contract shows it. */
export function presentKey(key: Shown) {
  return {
    id: key.keyId,
    name: key.name,
    prefix: key.prefix,
    mode: key.mode,
    plan: key.plan,
    permissions: key.permissions,
    webhook_url: key.webhookUrl,
    webhook_events: key.webhookEvents ?? WEBHOOK_EVENTS,
    ip_allowlist: key.ipAllowlist,
    contact_email: key.contactEmail,
    expires_at: key.expiresAt,
    limits: presentLimits(key),
    hotel_ids: key.hotelIds,
    exploration: key.exploration,
    active: key.active,
    created_at: key.createdAt,
  };
}

/** The key as its stream has it. */
export function presentExisting({ status, mode, facts, limits, hotelIds, exploration }: ExistingKey) {
  return presentKey({
    ...facts,
    mode,
    limits,
    hotelIds,
    exploration,
    active: status === 'active',
    createdAt: facts.at,
  });
}

/** The key with its new webhook secret. */
export function presentNewSecret({ key, webhookSecret, oldUntil }: RotatedSecret) {
  return { ...presentExisting(key), webhook_secret: webhookSecret, previous_secret_signs_until: oldUntil };
}

/** The replaced value while it is still valid; else null. */
export function presentReplaced(replaced: ReplacedValue | null, clock: Clock) {
  if (replaced === null || clock.nowMs() >= Date.parse(replaced.until)) return null;
  return { prefix: replaced.prefix, works_until: replaced.until };
}

/** Until when the replaced webhook secret signs; null: it signs no more. */
export function secretOverlap({ replacedSecret }: ExistingKey, clock: Clock): string | null {
  if (replacedSecret === null || clock.nowMs() >= Date.parse(replacedSecret.until)) return null;
  return replacedSecret.until;
}

export function lastUsedAt({ lastAtMs }: KeyUse): string | null {
  return lastAtMs === null ? null : new Date(lastAtMs).toISOString();
}

/** The usage of the plan's limits, and when the day ends; null without limits. */
export function presentUsage(usage: UsageAt | null) {
  if (usage === null) return null;
  const { minute, day, atMs } = usage;
  return {
    minute: { limit: minute.limit, used: minute.used, remaining: minute.remaining },
    day: {
      limit: day.limit,
      used: day.used,
      remaining: day.remaining,
      resets_at: new Date(atMs + day.resetMs).toISOString(),
    },
  };
}

/** The number of answered requests by operation, in alphabetical order. */
export function presentRequests(counts: RequestCounts) {
  const operations = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  const requests = operations.reduce((sum, [, { ok, refused, failed }]) => sum + ok + refused + failed, 0);
  return { requests, by_endpoint: Object.fromEntries(operations) };
}
