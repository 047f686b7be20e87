import type { UsageLimits } from '../../ports/rate-limiter.ts';
import type { HotelId } from '../activity/activity.ts';
import type { Currency } from '../activity/money.ts';
import type { WebhookEvent } from '../delivery/delivery.ts';
import type { ExposureLimits } from '../exposure/exposure.ts';
import type { KeyId, Mode } from '../ids.ts';
import type { Money } from '../spending/spending.ts';

export const PERMISSIONS = ['recommend', 'execute_booking', 'inventory', 'webhook'] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const PLANS = ['free', 'basic', 'premium', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

/** Limits of each plan, from the specification; null: unlimited. */
export const PLAN_LIMITS: Readonly<Record<Plan, UsageLimits | null>> = {
  free: { perMinute: 10, perDay: 100 },
  basic: { perMinute: 60, perDay: 1_000 },
  premium: { perMinute: 300, perDay: 10_000 },
  enterprise: null,
};

/** How much keys of each plan may take from others without paying; the operator can set others for one key. */
const PLAN_EXPOSURE: Readonly<Record<Plan, ExposureLimits>> = {
  free: { openHolds: 2, unpaidShare: 0.25, refundableGuests: 60 },
  basic: { openHolds: 10, unpaidShare: 0.5, refundableGuests: 200 },
  premium: { openHolds: 50, unpaidShare: 1, refundableGuests: 2_000 },
  enterprise: { openHolds: null, unpaidShare: 1, refundableGuests: null },
};

/** Settings of a key that its owner or the operator sets. */
export type KeySettings = {
  readonly name: string;
  readonly plan: Plan;
  readonly permissions: readonly Permission[];
  readonly webhookUrl: string | null;
  /** Null: all of them. */
  readonly webhookEvents: readonly WebhookEvent[] | null;
  /** CIDR ranges, only on the enterprise plan. Null: any address. */
  readonly ipAllowlist: readonly string[] | null;
  readonly contactEmail: string | null;
  /** ISO 8601 UTC; null: never. */
  readonly expiresAt: string | null;
};

/**
 * Limits of one key, in addition to those of its plan; only the operator sets them. Null: no limit. All amounts have
 * one currency.
 */
export type KeyLimits = {
  /** The highest total of one booking. */
  readonly bookingTotal: Money | null;
  /** The highest sum of the bookings of one day in UTC. */
  readonly dayTotal: Money | null;
  /** Only those that the operator has set; the others are the plan's. */
  readonly exposure: Partial<ExposureLimits>;
};

/** Settings, limits, hotels and exploration to set; those that are left out stay. */
export type KeyChanges = Partial<KeySettings> & {
  readonly limits?: Partial<KeyLimits>;
  readonly hotelIds?: readonly HotelId[];
  readonly exploration?: boolean;
};

/** The exposure limits of a key. */
export function exposureLimitsOf({
  plan,
  limits,
}: {
  readonly plan: Plan;
  readonly limits: Pick<KeyLimits, 'exposure'>;
}): ExposureLimits {
  return { ...PLAN_EXPOSURE[plan], ...limits.exposure };
}

export const NO_LIMITS: KeyLimits = { bookingTotal: null, dayTotal: null, exposure: {} };

/** The key's value is not stored, only its SHA-256 (hex) and its prefix. */
export type KeyValue = { readonly hash: string; readonly prefix: string };

/** A replaced value; it is valid until `until` (ISO 8601 UTC, exclusive). */
export type ReplacedValue = KeyValue & { readonly until: string };

/** A replaced webhook secret (sealed); requests are signed with it too until `until` (ISO 8601 UTC, exclusive). */
type ReplacedSecret = { readonly webhookSecret: string; readonly until: string };

/** The current state of a key. */
export type KeyFacts = KeySettings &
  KeyValue & {
    readonly keyId: KeyId;
    /** Sealed. */
    readonly webhookSecret: string;
    /** Creation time, ISO 8601 UTC. */
    readonly at: string;
  };

/** These types are the storage format. Each event's cause names the actor. */
export type ApiKeyEvent =
  | { readonly type: 'KeyCreated'; readonly data: KeyFacts }
  /**
   * A key that makes test bookings only. A separate event type, so that a release without test mode stops at it and
   * does not treat the key as live.
   */
  | { readonly type: 'TestKeyCreated'; readonly data: KeyFacts }
  | {
      readonly type: 'KeyChanged';
      readonly data: {
        /** Only the settings that differ. */
        readonly changes: Partial<KeySettings>;
        readonly at: string;
      };
    }
  | {
      readonly type: 'KeyRotated';
      /** The replaced value is valid until `oldUntil`; an earlier replaced value ends now. */
      readonly data: KeyValue & { readonly oldUntil: string; readonly at: string };
    }
  | { readonly type: 'KeyDeactivated'; readonly data: { readonly at: string } }
  | { readonly type: 'KeyActivated'; readonly data: { readonly at: string } }
  | {
      readonly type: 'WebhookSecretRotated';
      readonly data: {
        /** Sealed. */
        readonly webhookSecret: string;
        /** Until then the replaced secret signs too; an earlier replaced secret ends now. */
        readonly oldUntil: string;
        readonly at: string;
      };
    }
  | { readonly type: 'WebhookSecretRotationFinished'; readonly data: { readonly at: string } }
  /** The same secrets, sealed with another secret key (docs/decisions/0089). */
  | {
      readonly type: 'WebhookSecretResealed';
      readonly data: {
        readonly webhookSecret: string;
        /** The replaced secret of a rotation that has not ended; null: there is none. */
        readonly replaced: string | null;
        readonly at: string;
      };
    }
  /** A separate event type: an earlier release would ignore the limits, so it stops before this event. */
  | { readonly type: 'KeyLimitsSet'; readonly data: { readonly limits: KeyLimits; readonly at: string } }
  /** The hotels whose rates the key gets, instead of those before (docs/decisions/0076). */
  | {
      readonly type: 'KeyHotelsAllowed';
      readonly data: { readonly hotelIds: readonly HotelId[]; readonly at: string };
    }
  /** Whether recommend explores in answers to the key (docs/decisions/0080). */
  | { readonly type: 'KeyExplorationSet'; readonly data: { readonly exploration: boolean; readonly at: string } };

export type ApiKeyCommand =
  | {
      readonly type: 'CreateKey';
      readonly mode: Mode;
      readonly facts: KeyFacts;
      readonly limits?: KeyLimits;
      readonly hotelIds?: readonly HotelId[];
      readonly exploration?: boolean;
    }
  | {
      readonly type: 'ChangeKey';
      readonly changes: Partial<KeySettings>;
      /** Limits that are left out stay. */
      readonly limits?: Partial<KeyLimits>;
      /** Left out, they stay. */
      readonly hotelIds?: readonly HotelId[];
      readonly exploration?: boolean;
      readonly at: string;
    }
  | { readonly type: 'RotateKey'; readonly value: KeyValue; readonly oldUntil: string; readonly at: string }
  | { readonly type: 'DeactivateKey'; readonly at: string }
  | { readonly type: 'ActivateKey'; readonly at: string }
  | {
      readonly type: 'RotateWebhookSecret';
      readonly webhookSecret: string;
      readonly oldUntil: string;
      readonly at: string;
    }
  | { readonly type: 'FinishWebhookSecretRotation'; readonly at: string }
  | {
      readonly type: 'ResealWebhookSecret';
      /** The sealed texts of the key when the new ones were made; the command does nothing if they changed since. */
      readonly from: SealedSecrets;
      readonly to: SealedSecrets;
      readonly at: string;
    };

/** `replaced` is null if no replaced secret signs. */
export type SealedSecrets = { readonly webhookSecret: string; readonly replaced: string | null };

export type ApiKeyRejection =
  | { readonly code: 'KEY_EXISTS' }
  | { readonly code: 'KEY_NOT_FOUND' }
  /** The plan has no IP allowlist. */
  | { readonly code: 'ALLOWLIST_NOT_IN_PLAN'; readonly plan: Plan }
  /** The limits would have two currencies. */
  | { readonly code: 'LIMITS_IN_TWO_CURRENCIES'; readonly currencies: readonly [Currency, Currency] };

export type ExistingKey = {
  readonly status: 'active' | 'inactive';
  /** Never changes. */
  readonly mode: Mode;
  readonly facts: KeyFacts;
  readonly limits: KeyLimits;
  /** The hotels whose rates the key gets without a guest's token. */
  readonly hotelIds: readonly HotelId[];
  /** Whether recommend explores in its answers. */
  readonly exploration: boolean;
  /** The value replaced last, even if it has expired. */
  readonly replaced: ReplacedValue | null;
  /** The webhook secret replaced last, even if it has expired; null after the rotation was finished. */
  readonly replacedSecret: ReplacedSecret | null;
};

export type ApiKey = { readonly status: 'none' } | ExistingKey;

/** The sealed webhook secrets of a key that sign at a time (ms since the epoch). */
export function sealedSecretsAt({ facts, replacedSecret }: ExistingKey, atMs: number): SealedSecrets {
  const overlaps = replacedSecret !== null && atMs < Date.parse(replacedSecret.until);
  return { webhookSecret: facts.webhookSecret, replaced: overlaps ? replacedSecret.webhookSecret : null };
}

/** The sealing purpose of a key's webhook secret. */
export function webhookSecretPurpose(keyId: KeyId): string {
  return `webhook secret of ${keyId}`;
}
