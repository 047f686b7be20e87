import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider, reject } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
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

/** These types are the storage format. Of the key value itself only SHA-256 and prefix are kept. */
export type ApiKeyEvent =
  | {
      readonly type: 'KeyCreated';
      readonly data: KeySettings & {
        readonly keyId: KeyId;
        readonly hash: string;
        readonly prefix: string;
        /** The webhook secret, sealed. */
        readonly webhookSecret: string;
        readonly at: string;
      };
    }
  | { readonly type: 'KeyDeactivated'; readonly data: { readonly at: string } };

export type ApiKeyCommand =
  | { readonly type: 'CreateKey'; readonly facts: Extract<ApiKeyEvent, { type: 'KeyCreated' }>['data'] }
  | { readonly type: 'DeactivateKey'; readonly at: string };

export type ApiKeyRejection = { readonly code: 'KEY_EXISTS' } | { readonly code: 'KEY_NOT_FOUND' };

export type ApiKey =
  | { readonly status: 'none' }
  | { readonly status: 'active' | 'inactive'; readonly facts: Extract<ApiKeyEvent, { type: 'KeyCreated' }>['data'] };

export const apiKeyDecider: Decider<ApiKeyCommand, ApiKey, ApiKeyEvent, ApiKeyRejection> = {
  initial: { status: 'none' },
  decide(command, key) {
    switch (command.type) {
      case 'CreateKey':
        if (key.status === 'none') return accept({ type: 'KeyCreated', data: command.facts });
        return key.facts.hash === command.facts.hash ? accept() : reject({ code: 'KEY_EXISTS' });
      case 'DeactivateKey':
        if (key.status === 'none') return reject({ code: 'KEY_NOT_FOUND' });
        return key.status === 'active' ? accept({ type: 'KeyDeactivated', data: { at: command.at } }) : accept();
      default:
        return unreachable(command);
    }
  },
  evolve(key, event) {
    switch (event.type) {
      case 'KeyCreated':
        return { status: 'active', facts: event.data };
      case 'KeyDeactivated':
        return key.status === 'none' ? key : { ...key, status: 'inactive' };
      default:
        return unreachable(event);
    }
  },
};

export const apiKeyCodec = codec<ApiKeyEvent>('apikey', { KeyCreated: [], KeyDeactivated: [] });

/** The purpose under which a key's webhook secret is sealed. */
export function webhookSecretPurpose(keyId: KeyId): string {
  return `webhook secret of ${keyId}`;
}
