import { Type } from 'typebox';
import {
  type KeySettings,
  PERMISSIONS,
  type Permission,
  PLANS,
  type Plan,
  WEBHOOK_EVENTS,
  type WebhookEvent,
} from '../domain/apikey/apikey.ts';
import type { Clock } from '../ports/clock.ts';
import * as field from './fields.ts';
import { type AcrossRule, clearable, optional, required } from './form.ts';

const PLAN = Type.Union(PLANS.map((plan) => Type.Literal(plan)));
const PERMISSION = Type.Union(PERMISSIONS.map((permission) => Type.Literal(permission)));
const EVENT = Type.Union(WEBHOOK_EVENTS.map((event) => Type.Literal(event)));

export const plan = optional(PLAN, `one of ${PLANS.join(', ')}`);

/** The settings of a new key. */
export function newSettings(production: boolean) {
  return {
    name: required(Type.String({ minLength: 1, maxLength: 120 }), 'a name of 1 to 120 characters'),
    plan,
    permissions: optional(Type.Array(PERMISSION), `a list of ${PERMISSIONS.join(', ')}`),
    webhook_url: field.webhookUrl(production),
    webhook_events: optional(Type.Array(EVENT), `a list of ${WEBHOOK_EVENTS.join(', ')}`),
    ip_allowlist: field.ipAllowlist,
    contact_email: { ...field.userEmail, required: false, code: 'INVALID_REQUEST' as const },
    expires_at: optional(field.TIMESTAMP, field.TIMESTAMP_RULE),
  };
}

/** The settings of a key that is: null empties those that can be empty, what is left out stays as it was. */
export function otherSettings(production: boolean) {
  const { name, permissions, webhook_url, webhook_events, ip_allowlist, contact_email, expires_at } =
    newSettings(production);
  return {
    name: { ...name, required: false },
    plan,
    permissions,
    webhook_url: clearable(webhook_url),
    webhook_events: clearable(webhook_events),
    ip_allowlist: clearable(ip_allowlist),
    contact_email: clearable(contact_email),
    expires_at: clearable(expires_at),
  };
}

/** Those of them that are the key's own affair, and need no operator. */
export function ownSettings(production: boolean) {
  const { name, webhook_url, webhook_events, contact_email } = otherSettings(production);
  return { name, webhook_url, webhook_events, contact_email };
}

/** Fields as they were read: null or undefined where nothing was sent, of a clearable one only undefined. */
type Sent = {
  readonly name: string | null;
  readonly plan?: Plan | null;
  readonly permissions?: readonly Permission[] | null;
  readonly webhook_url: string | null | undefined;
  readonly webhook_events: readonly WebhookEvent[] | null | undefined;
  readonly ip_allowlist?: readonly string[] | null | undefined;
  readonly contact_email: string | null | undefined;
  readonly expires_at?: string | null | undefined;
};

/** The settings that were sent; lists without repetitions, times in UTC. */
export function settingsIn(sent: Sent): Partial<KeySettings> {
  const { name, plan: planned, permissions, webhook_url, webhook_events, ip_allowlist, contact_email } = sent;
  const { expires_at } = sent;
  return {
    ...(name === null ? {} : { name }),
    ...(planned ? { plan: planned } : {}),
    ...(permissions ? { permissions: once(permissions) } : {}),
    ...(webhook_url === undefined ? {} : { webhookUrl: webhook_url }),
    ...(webhook_events === undefined ? {} : { webhookEvents: webhook_events && once(webhook_events) }),
    ...(ip_allowlist === undefined ? {} : { ipAllowlist: ip_allowlist && once(ip_allowlist) }),
    ...(contact_email === undefined ? {} : { contactEmail: contact_email }),
    ...(expires_at === undefined ? {} : { expiresAt: expires_at && new Date(expires_at).toISOString() }),
  };
}

/** A key that works no more from the beginning would be a mistake that nobody is told of. */
export function expiryAhead(clock: Clock): AcrossRule {
  return ({ expires_at: expiresAt }) => {
    const nowMs = clock.nowMs();
    const expiresMs = typeof expiresAt === 'string' ? field.parseTimestamp(expiresAt) : null;
    if (expiresMs === null || expiresMs > nowMs) return null;
    const sentence = `expires_at must lie in the future; it was "${String(expiresAt)}", now it is ${new Date(nowMs).toISOString()}.`;
    return { code: 'INVALID_REQUEST', sentence };
  };
}

function once<Item>(list: readonly Item[]): readonly Item[] {
  return [...new Set(list)];
}
