import type { Permission } from '../domain/apikey/apikey.ts';
import { PLAN_LIMITS } from '../domain/apikey/plan.ts';
import { unreachable } from '../eventsourcing/message.ts';
import type { Log } from '../ports/log.ts';
import type { Taking, Usage, UsageCounters, UsageLimits } from '../ports/usage-counters.ts';
import {
  type AuthenticationContext,
  authenticateKey,
  forbidden,
  type KnownKey,
  strangeAddress,
} from './authenticate.ts';
import { type Refused, refused, serviceUnavailable } from './refusal.ts';

/** What an endpoint asks of a key. An uncounted one is answered whatever was used, and uses nothing. */
export type KeyDemand = { readonly permission: Permission | null; readonly uncounted?: true };

export type AdmissionContext = Pick<AuthenticationContext, 'keys' | 'clock' | 'digest'> & {
  readonly usage: UsageCounters;
  readonly log: Log;
};

/** `usage` is what the key's plan has left; null where nothing is counted, or the counters did not answer. */
export type KeyAdmission =
  | { readonly kind: 'admitted'; readonly key: KnownKey; readonly usage: Usage | null }
  | (Refused & {
      readonly usage: Usage | null;
      /** Whose request it was, where that is known. */
      readonly key: KnownKey | null;
      readonly overQuota: boolean;
    });

/**
 * Whether the caller behind an `x-api-key` header may go on, in the order of the public contract: key, address, permission,
 * rate, quota. A request that may is counted by then. For a key without limits nothing is waited for, hence no promise. A
 * refusal that is `overQuota` can still be answered from what was committed before (`admitPastQuota`).
 */
export function admitKey(
  header: string | null,
  demand: KeyDemand,
  addressOf: () => string | null,
  context: AdmissionContext,
): KeyAdmission | Promise<KeyAdmission> {
  const found = authenticateKey(header, context);
  if (found.kind === 'refused') return refusedWith(found, null, null);
  const { key } = found;
  const no = strangeAddress(key, addressOf) ?? forbidden(key, demand.permission);
  const limits = PLAN_LIMITS[key.plan];
  if (limits !== null) return admitLimited(key, no, limits, demand, context);
  return no === null ? { kind: 'admitted', key, usage: null } : refusedWith(no, null, key);
}

/** Lets a request through although the day's quota is used up. It takes its place in the minute. */
export async function admitPastQuota(key: KnownKey, { usage, clock, log }: AdmissionContext): Promise<KeyAdmission> {
  const limits = PLAN_LIMITS[key.plan];
  if (limits === null) return { kind: 'admitted', key, usage: null };
  const nowMs = clock.nowMs();
  try {
    return admissionOf(key, await usage.take(key.keyId, limits, nowMs, 'minute alone'), nowMs);
  } catch (fault) {
    return countersFailed(key, fault, log);
  }
}

async function admitLimited(
  key: KnownKey,
  no: Refused | null,
  limits: UsageLimits,
  { uncounted }: KeyDemand,
  { usage, clock, log }: AdmissionContext,
): Promise<KeyAdmission> {
  const nowMs = clock.nowMs();
  try {
    if (no !== null) return refusedWith(no, await usage.peek(key.keyId, limits, nowMs), key);
    if (uncounted) return { kind: 'admitted', key, usage: await usage.peek(key.keyId, limits, nowMs) };
    return admissionOf(key, await usage.take(key.keyId, limits, nowMs), nowMs);
  } catch (fault) {
    return countersFailed(key, fault, log);
  }
}

function admissionOf(key: KnownKey, taking: Taking, nowMs: number): KeyAdmission {
  switch (taking.kind) {
    case 'taken':
      return { kind: 'admitted', key, usage: taking.usage };
    case 'rate-limited':
      return refusedWith(rateLimited(key, taking), taking.usage, key);
    case 'quota-exceeded':
      return { ...refusedWith(quotaExceeded(key, taking, nowMs), taking.usage, key), overQuota: true };
    default:
      return unreachable(taking);
  }
}

function refusedWith(
  { kind, refusal }: Refused,
  usage: Usage | null,
  key: KnownKey | null,
): Extract<KeyAdmission, { kind: 'refused' }> {
  return { kind, refusal, usage, key, overQuota: false };
}

function countersFailed(key: KnownKey, fault: unknown, log: Log): KeyAdmission {
  log.error('usage counters failed', { keyId: key.keyId, fault });
  return refusedWith(serviceUnavailable('usage counters unreachable'), null, key);
}

type Refusing = Exclude<Taking, { kind: 'taken' }>;

function rateLimited({ plan }: KnownKey, { usage, retryAfterMs }: Refusing): Refused {
  const retryAfterSeconds = inSeconds(retryAfterMs);
  return refused(
    'RATE_LIMITED',
    `The ${usage.minute.limit} requests that the plan "${plan}" allows in any 60 seconds are used; send this one again in ${retryAfterSeconds} s.`,
    { details: `${usage.day.remaining} of today's ${usage.day.limit} requests are left.`, retryAfterSeconds },
  );
}

function quotaExceeded({ plan }: KnownKey, { usage, retryAfterMs }: Refusing, nowMs: number): Refused {
  const midnight = new Date(nowMs + retryAfterMs).toISOString();
  return refused(
    'QUOTA_EXCEEDED',
    `The ${usage.day.limit} requests that the plan "${plan}" allows in a day are used; send this one again after ${midnight}, or ask the operator for a larger plan.`,
    {
      details:
        'The day ends at midnight UTC. A booking that was made under an Idempotency-Key is answered until then, too.',
      retryAfterSeconds: inSeconds(retryAfterMs),
    },
  );
}

/** Whole seconds, rounded up: who waits for so long has waited long enough. */
function inSeconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}
