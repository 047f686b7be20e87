import type { KnownKey } from '../application/authenticate.ts';
import type { KeyDone } from '../application/manage-keys.ts';
import { type ExistingKey, type ReplacedValue, WEBHOOK_EVENTS } from '../domain/apikey/apikey.ts';
import type { Clock } from '../ports/clock.ts';
import type { EndpointHealth } from '../webhooks/endpoint-state.ts';
import type { HttpContext } from './context.ts';
import type { Headers } from './envelope.ts';

type Shown = Pick<KnownKey, 'active' | 'createdAt'> & Omit<ExistingKey['facts'], 'hash' | 'webhookSecret' | 'at'>;

/** A key as the public contract shows it. */
export function presentKey(key: Shown) {
  return {
    id: key.keyId,
    name: key.name,
    prefix: key.prefix,
    plan: key.plan,
    permissions: key.permissions,
    webhook_url: key.webhookUrl,
    webhook_events: key.webhookEvents ?? WEBHOOK_EVENTS,
    ip_allowlist: key.ipAllowlist,
    contact_email: key.contactEmail,
    expires_at: key.expiresAt,
    active: key.active,
    created_at: key.createdAt,
  };
}

/** The same of a key as its stream has it. */
export function presentExisting({ status, facts }: ExistingKey) {
  return presentKey({ ...facts, active: status === 'active', createdAt: facts.at });
}

/** How a receiver of the key does. */
export function presentHealth({ failingSince, suspendedSince }: EndpointHealth) {
  return { failing_since: failingSince, suspended_since: suspendedSince };
}

/** The value that was replaced and still works; null where there is none. */
export function presentReplaced(replaced: ReplacedValue | null, clock: Clock) {
  if (replaced === null || clock.nowMs() >= Date.parse(replaced.until)) return null;
  return { prefix: replaced.prefix, works_until: replaced.until };
}

/** Answers with the key, once this node's memory knows what was done: from the answer on it holds here. */
export async function keyAnswer<More extends object>(
  { key, position }: KeyDone,
  more: More,
  { passed }: Pick<HttpContext, 'passed'>,
) {
  if (position !== null) await passed('keys', position);
  const headers: Headers = position === null ? {} : { 'x-position': position };
  return { kind: 'data' as const, data: { ...presentExisting(key), ...more }, headers };
}

/** The same with what is shown this once, which no cache may keep. */
export async function secretAnswer<More extends object>(
  done: KeyDone,
  more: More,
  context: Pick<HttpContext, 'passed'>,
) {
  const answer = await keyAnswer(done, more, context);
  return { ...answer, headers: { ...answer.headers, 'cache-control': 'no-store' } };
}
