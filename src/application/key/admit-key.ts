import { type Permission, PLAN_LIMITS } from '../../domain/apikey/apikey.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { Currency } from '../../ports/currency.ts';
import type { RateLimiter, Taking, Usage, UsageLimits } from '../../ports/rate-limiter.ts';
import { causeOf } from '../../ports/store-unavailable.ts';
import { type Refused, refused, serviceUnavailable } from '../refusal.ts';
import {
  type AuthenticationContext,
  authenticateKey,
  forbidden,
  type KnownKey,
  slowedIfUnknown,
  strangeAddress,
} from './authenticate.ts';

/** What an endpoint requires of a key: one permission, one of several, or none (null). `uncounted`: neither checked against nor counted in the plan's limits. */
export type KeyDemand = {
  readonly permission: Permission | readonly Permission[] | null;
  readonly uncounted?: true;
};

export function permissionsOf({ permission }: KeyDemand): readonly Permission[] {
  return permission === null ? [] : [permission].flat();
}

export type AdmissionContext = Pick<AuthenticationContext, 'keys' | 'clock' | 'digest' | 'throttles'> & {
  readonly rateLimiter: RateLimiter;
  /** Of this node's keys, devices, operators and sessions: one that has ended is refused within a second. */
  readonly currency: Readonly<Record<'keys' | 'devices' | 'operators' | 'endedSessions', Currency>>;
};

/** What the plan of a key has left at `atMs` (ms since the epoch), from which `resetMs` counts. */
export type UsageAt = Usage & { readonly atMs: number };

/** `usage`: null if the plan is unlimited or the rate limiter failed. */
export type KeyAdmission =
  | { readonly kind: 'admitted'; readonly key: KnownKey; readonly usage: UsageAt | null }
  | (Refused & {
      readonly usage: UsageAt | null;
      /** The caller's key, if known. */
      readonly key: KnownKey | null;
      readonly overQuota: boolean;
    });

/**
 * Admits or refuses the caller of an `x-api-key` header, in the order of the public contract: key, address, permission,
 * rate, quota. Counts an admitted request. For a key without limits it returns at once, without a promise, unless it must
 * wait for a proof that the keys are current. A refusal with `overQuota` can still be answered with an earlier result
 * (`admitPastQuota`).
 */
export function admitKey(
  header: string | null,
  demand: KeyDemand,
  addressOf: () => string | null,
  context: AdmissionContext,
): KeyAdmission | Promise<KeyAdmission> {
  const current = context.currency.keys.current();
  const found = authenticateKey(header, context);
  if (found.kind === 'refused') return refusedWith(slowedIfUnknown(found, addressOf, context), null, null);
  return current
    ? admitKnown(found.key, demand, addressOf, context)
    : admitConfirmed(header, demand, addressOf, context);
}

/** Waits until the keys are current, and looks again. */
async function admitConfirmed(...[header, demand, addressOf, context]: Parameters<typeof admitKey>) {
  if (!(await context.currency.keys.confirmed())) return refusedWith(outdated('API keys'), null, null);
  const found = authenticateKey(header, context);
  if (found.kind === 'refused') return refusedWith(slowedIfUnknown(found, addressOf, context), null, null);
  return admitKnown(found.key, demand, addressOf, context);
}

/** The refusal of a node that may not know yet that a key, device, operator or session has ended. */
export function outdated(known: 'API keys' | 'devices' | 'operators' | 'sessions'): Refused {
  return serviceUnavailable(`the ${known} may be out of date`, { call: `proof that the ${known} are current` });
}

/** Admits or refuses a known key: address, permission, rate, quota. */
export function admitKnown(
  key: KnownKey,
  demand: KeyDemand,
  addressOf: () => string | null,
  context: AdmissionContext,
): KeyAdmission | Promise<KeyAdmission> {
  const no = strangeAddress(key, addressOf) ?? forbidden(key, permissionsOf(demand));
  const limits = PLAN_LIMITS[key.plan];
  if (limits !== null) return admitLimited(key, no, limits, demand, context);
  return no === null ? { kind: 'admitted', key, usage: null } : refusedWith(no, null, key);
}

/** Admits a request although the daily quota is used up. It counts towards the rate limit. */
export async function admitPastQuota(key: KnownKey, { rateLimiter, clock }: AdmissionContext): Promise<KeyAdmission> {
  const limits = PLAN_LIMITS[key.plan];
  if (limits === null) return { kind: 'admitted', key, usage: null };
  const nowMs = clock.nowMs();
  try {
    return admissionOf(key, await rateLimiter.take(key.keyId, limits, nowMs, 'minute alone'), nowMs);
  } catch (fault) {
    return rateLimiterFailed(key, fault);
  }
}

async function admitLimited(
  key: KnownKey,
  no: Refused | null,
  limits: UsageLimits,
  { uncounted }: KeyDemand,
  { rateLimiter, clock }: AdmissionContext,
): Promise<KeyAdmission> {
  const nowMs = clock.nowMs();
  try {
    if (no !== null || uncounted) {
      const usage = { ...(await rateLimiter.peek(key.keyId, limits, nowMs)), atMs: nowMs };
      return no === null ? { kind: 'admitted', key, usage } : refusedWith(no, usage, key);
    }
    return admissionOf(key, await rateLimiter.take(key.keyId, limits, nowMs), nowMs);
  } catch (fault) {
    return rateLimiterFailed(key, fault);
  }
}

function admissionOf(key: KnownKey, taking: Taking, atMs: number): KeyAdmission {
  const usage = { ...taking.usage, atMs };
  switch (taking.kind) {
    case 'taken':
      return { kind: 'admitted', key, usage };
    case 'rate-limited':
      return refusedWith(rateLimited(key, taking), usage, key);
    case 'quota-exceeded':
      return { ...refusedWith(quotaExceeded(key, taking, atMs), usage, key), overQuota: true };
    default:
      return unreachable(taking);
  }
}

function refusedWith(
  { kind, refusal }: Refused,
  usage: UsageAt | null,
  key: KnownKey | null,
): Extract<KeyAdmission, { kind: 'refused' }> {
  return { kind, refusal, usage, key, overQuota: false };
}

function rateLimiterFailed(key: KnownKey, fault: unknown): KeyAdmission {
  const cause = causeOf(fault, `quota of ${key.keyId}`);
  return refusedWith(serviceUnavailable('usage counters unreachable', cause), null, key);
}

type Refusing = Exclude<Taking, { kind: 'taken' }>;

function rateLimited({ plan }: KnownKey, { usage, retryAfterMs }: Refusing): Refused {
  const retryAfterSeconds = inSeconds(retryAfterMs);
  return refused(
    'RATE_LIMITED',
    `The ${usage.minute.limit} requests that the plan "${plan}" allows in any 60 seconds are used up; send this one again in ${retryAfterSeconds} s.`,
    { details: `${usage.day.remaining} of today's ${usage.day.limit} requests are left.`, retryAfterSeconds },
  );
}

function quotaExceeded({ plan }: KnownKey, { usage, retryAfterMs }: Refusing, nowMs: number): Refused {
  const midnight = new Date(nowMs + retryAfterMs).toISOString();
  return refused(
    'QUOTA_EXCEEDED',
    `The ${usage.day.limit} requests that the plan "${plan}" allows in a day are used up; send this one again after ${midnight}, or ask the operator for a larger plan.`,
    {
      details:
        'The quota resets at midnight UTC. Repeating a booking request with its Idempotency-Key still works until then.',
      retryAfterSeconds: inSeconds(retryAfterMs),
    },
  );
}

/** Rounded up, so that a retry after this time is never too early. */
function inSeconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}
