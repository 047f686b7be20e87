import type { KeyId } from '../booking/booking.ts';

export const PERMISSIONS = ['recommend', 'execute_booking', 'inventory', 'webhook'] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const PLANS = ['free', 'basic', 'premium', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

export const WEBHOOK_EVENTS = [
  'booking_confirmed',
  'voucher_delivered',
  'qr_verified',
  'booking_cancelled',
  'booking_modified',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** Settings of a key that its owner or the operator chooses. */
export type KeySettings = {
  readonly name: string;
  readonly plan: Plan;
  readonly permissions: readonly Permission[];
  readonly webhookUrl: string | null;
  /** Null stands for all five. */
  readonly webhookEvents: readonly WebhookEvent[] | null;
  /** CIDR ranges, only on the enterprise plan. Null: any address. */
  readonly ipAllowlist: readonly string[] | null;
  readonly contactEmail: string | null;
  /** ISO 8601 UTC; null: never. */
  readonly expiresAt: string | null;
};

/** Of the value that opens a key only SHA-256 (hex) and prefix are kept. */
export type KeyValue = { readonly hash: string; readonly prefix: string };

/** A value that was replaced; it opens the key until then (ISO 8601 UTC), and at that instant no longer. */
export type ReplacedValue = KeyValue & { readonly until: string };

/** A webhook secret (sealed) that was replaced; what is sent is signed with it, too, until then (ISO 8601 UTC). */
export type ReplacedSecret = { readonly webhookSecret: string; readonly until: string };

/** What a key is now. */
export type KeyFacts = KeySettings &
  KeyValue & {
    readonly keyId: KeyId;
    /** Sealed. */
    readonly webhookSecret: string;
    /** When it was created. */
    readonly at: string;
  };

/** These types are the storage format. Who did it stands in the cause of each event. */
export type ApiKeyEvent =
  | { readonly type: 'KeyCreated'; readonly data: KeyFacts }
  | {
      readonly type: 'KeyChanged';
      readonly data: {
        /** Only what differs from before. */
        readonly changes: Partial<KeySettings>;
        readonly at: string;
      };
    }
  | {
      readonly type: 'KeyRotated';
      /** The value that it replaces works until `oldUntil`; one that was replaced before that ends now. */
      readonly data: KeyValue & { readonly oldUntil: string; readonly at: string };
    }
  | { readonly type: 'KeyDeactivated'; readonly data: { readonly at: string } }
  | { readonly type: 'KeyActivated'; readonly data: { readonly at: string } }
  | {
      readonly type: 'WebhookSecretRotated';
      readonly data: {
        /** Sealed. */
        readonly webhookSecret: string;
        /** Until then the secret that it replaces signs, too; one that was replaced before that ends now. */
        readonly oldUntil: string;
        readonly at: string;
      };
    }
  | { readonly type: 'WebhookSecretRotationFinished'; readonly data: { readonly at: string } };

export type ApiKeyCommand =
  | { readonly type: 'CreateKey'; readonly facts: KeyFacts }
  | { readonly type: 'ChangeKey'; readonly changes: Partial<KeySettings>; readonly at: string }
  | { readonly type: 'RotateKey'; readonly value: KeyValue; readonly oldUntil: string; readonly at: string }
  | { readonly type: 'DeactivateKey'; readonly at: string }
  | { readonly type: 'ActivateKey'; readonly at: string }
  | {
      readonly type: 'RotateWebhookSecret';
      readonly webhookSecret: string;
      readonly oldUntil: string;
      readonly at: string;
    }
  | { readonly type: 'FinishWebhookSecretRotation'; readonly at: string };

export type ApiKeyRejection =
  | { readonly code: 'KEY_EXISTS' }
  | { readonly code: 'KEY_NOT_FOUND' }
  /** A list of addresses, on a plan that has none. */
  | { readonly code: 'ALLOWLIST_NOT_IN_PLAN'; readonly plan: Plan };

export type ExistingKey = {
  readonly status: 'active' | 'inactive';
  readonly facts: KeyFacts;
  /** The value that was replaced last, its end passed or not. */
  readonly replaced: ReplacedValue | null;
  /** The webhook secret that was replaced last, its end passed or not; null also where the rotation was finished. */
  readonly replacedSecret: ReplacedSecret | null;
};

export type ApiKey = { readonly status: 'none' } | ExistingKey;

/** The purpose under which a key's webhook secret is sealed. */
export function webhookSecretPurpose(keyId: KeyId): string {
  return `webhook secret of ${keyId}`;
}
