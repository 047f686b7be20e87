import { Type } from 'typebox';
import { type KeyChanges, PERMISSIONS, type Permission, PLANS, type Plan } from '../../domain/apikey/apikey.ts';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../domain/delivery/delivery.ts';
import type { Clock } from '../../ports/clock.ts';
import { oneOf, PERMISSION, WEBHOOK_EVENT } from '../answer-fields.ts';
import * as field from '../fields.ts';
import { clearable, optional, type Rule, required } from '../schema.ts';
import { hotelsField, hotelsIn } from './hotels.ts';
import { limitsField, limitsIn, type SentLimits } from './limits.ts';

const NAME = Type.String({ minLength: 1, maxLength: 120 });
const NAME_RULE = 'a name of 1 to 120 characters';
const PLAN = oneOf(PLANS);

export const plan = optional(PLAN, `one of ${PLANS.join(', ')}`);

export function newSettings(production: boolean) {
  return {
    name: required(NAME, NAME_RULE),
    plan,
    permissions: optional(
      // A key without any could call almost nothing; one that must not be used is deactivated.
      Type.Array(PERMISSION, { minItems: 1 }),
      `a list with at least one of ${PERMISSIONS.join(', ')}`,
    ),
    webhook_url: field.webhookUrl(production),
    webhook_events: optional(Type.Array(WEBHOOK_EVENT), `a list of ${WEBHOOK_EVENTS.join(', ')}`),
    ip_allowlist: field.ipAllowlist,
    contact_email: field.contactEmail,
    expires_at: optional(field.TIMESTAMP, field.TIMESTAMP_RULE),
    limits: limitsField,
    hotel_ids: hotelsField,
    exploration: optional(Type.Boolean(), 'true or false'),
  };
}

/** The settings of an existing key. Null clears a clearable one; a setting that is left out does not change. */
export function changedSettings(production: boolean) {
  const { permissions, webhook_url, webhook_events, ip_allowlist, contact_email, expires_at, ...onlyOperators } =
    newSettings(production);
  const { limits, hotel_ids, exploration } = onlyOperators;
  return {
    name: optional(NAME, NAME_RULE),
    plan,
    permissions,
    webhook_url: clearable(webhook_url),
    webhook_events: clearable(webhook_events),
    ip_allowlist: clearable(ip_allowlist),
    contact_email: clearable(contact_email),
    expires_at: clearable(expires_at),
    limits,
    hotel_ids,
    exploration,
  };
}

/** The settings that the holder of the key may change without the operator. */
export function ownSettings(production: boolean) {
  const { name, webhook_url, webhook_events, contact_email } = changedSettings(production);
  return { name, webhook_url, webhook_events, contact_email };
}

type SentSettings = {
  readonly name?: string | undefined;
  readonly plan?: Plan | undefined;
  readonly permissions?: readonly Permission[] | undefined;
  readonly webhook_url?: string | null | undefined;
  readonly webhook_events?: readonly WebhookEvent[] | null | undefined;
  readonly ip_allowlist?: readonly string[] | null | undefined;
  readonly contact_email?: string | null | undefined;
  readonly expires_at?: string | null | undefined;
  readonly limits?: SentLimits | undefined;
  readonly hotel_ids?: readonly string[] | undefined;
  readonly exploration?: boolean | undefined;
};

/** The settings that were sent, with lists without duplicates and times in UTC. */
export function settingsIn(sent: SentSettings): KeyChanges {
  const { name, permissions, webhook_url, webhook_events, ip_allowlist, contact_email, expires_at } = sent;
  return {
    ...(name === undefined ? {} : { name }),
    ...(sent.plan === undefined ? {} : { plan: sent.plan }),
    ...(permissions === undefined ? {} : { permissions: distinct(permissions) }),
    ...(webhook_url === undefined ? {} : { webhookUrl: webhook_url }),
    ...(webhook_events === undefined ? {} : { webhookEvents: webhook_events && distinct(webhook_events) }),
    ...(ip_allowlist === undefined ? {} : { ipAllowlist: ip_allowlist && distinct(ip_allowlist) }),
    ...(contact_email === undefined ? {} : { contactEmail: contact_email }),
    ...(expires_at === undefined ? {} : { expiresAt: expires_at && new Date(expires_at).toISOString() }),
    ...(sent.limits === undefined ? {} : { limits: limitsIn(sent.limits) }),
    ...(sent.hotel_ids === undefined ? {} : { hotelIds: hotelsIn(sent.hotel_ids) }),
    ...(sent.exploration === undefined ? {} : { exploration: sent.exploration }),
  };
}

/** Refuses a past `expires_at`: the key would be born expired. */
export function expiryAhead(clock: Clock): Rule {
  return ({ expires_at: expiresAt }) => {
    const nowMs = clock.nowMs();
    const expiresMs = typeof expiresAt === 'string' ? field.parseTimestamp(expiresAt) : null;
    if (expiresMs === null || expiresMs > nowMs) return null;
    const sentence = `expires_at must lie in the future; it was "${String(expiresAt)}", now it is ${new Date(nowMs).toISOString()}.`;
    return { code: 'INVALID_REQUEST', sentence };
  };
}

function distinct<Item>(list: readonly Item[]): readonly Item[] {
  return [...new Set(list)];
}
