import { Type } from 'typebox';
import { listKeys as list } from '../../../projections/keys/query.ts';
import type { KnownKey } from '../../application/authenticate.ts';
import { createKey as create, deactivateKey as deactivate } from '../../application/manage-keys.ts';
import { type KeySettings, PERMISSIONS, PLANS, WEBHOOK_EVENTS } from '../../domain/apikey/apikey.ts';
import type { Use } from '../../ports/key-use.ts';
import type { Usage } from '../../ports/usage-counters.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { CREATE_KEY, DEACTIVATE_KEY, HEALTH, LIST_KEYS, OWN_KEY } from '../declarations/keys.ts';
import { endpoint } from '../endpoint.ts';
import * as field from '../fields.ts';
import { type Fault, form, optional, required } from '../form.ts';
import { freshEnough } from '../freshness.ts';

const DEFAULT_LIMIT = 20;

/** POST /api/keys */
export function createKey(context: HttpContext) {
  const known = {
    name: required(Type.String({ minLength: 1, maxLength: 120 }), 'a name of 1 to 120 characters'),
    plan: optional(Type.Union(PLANS.map((plan) => Type.Literal(plan))), `one of ${PLANS.join(', ')}`),
    permissions: optional(
      Type.Array(Type.Union(PERMISSIONS.map((permission) => Type.Literal(permission))), { uniqueItems: true }),
      `a list of ${PERMISSIONS.join(', ')}`,
    ),
    webhook_url: field.webhookUrl(context.production),
    webhook_events: optional(
      Type.Array(Type.Union(WEBHOOK_EVENTS.map((event) => Type.Literal(event))), { uniqueItems: true }),
      `a list of ${WEBHOOK_EVENTS.join(', ')}`,
    ),
    ip_allowlist: field.ipAllowlist,
    contact_email: { ...field.userEmail, required: false, code: 'INVALID_REQUEST' as const },
    expires_at: optional(field.TIMESTAMP, field.TIMESTAMP_RULE),
  };
  const shape = form(known, {
    ip_allowlist: ({ ip_allowlist: addresses, plan }) => listOfOtherPlan(addresses, plan),
    expires_at: ({ expires_at: at }) => alreadyPast(at, context.clock.nowMs()),
  });
  return endpoint(context, CREATE_KEY, shape, async ({ fields, cause }) => {
    const settings: KeySettings = {
      name: fields.name ?? '',
      plan: fields.plan ?? 'free',
      permissions: fields.permissions ?? PERMISSIONS,
      webhookUrl: fields.webhook_url,
      webhookEvents: fields.webhook_events,
      ipAllowlist: fields.ip_allowlist,
      contactEmail: fields.contact_email,
      expiresAt: fields.expires_at === null ? null : new Date(fields.expires_at).toISOString(),
    };
    const created = await create(settings, cause, context);
    if (created.kind === 'refused') return created;
    await context.passed('keys', created.position);
    const { keyId, value, webhookSecret, position } = created;
    const key = presentKey({ ...settings, keyId, prefix: created.key.facts.prefix, active: true, createdAt: cause.at });
    return {
      kind: 'data',
      data: { ...key, key: value, webhook_secret: webhookSecret },
      headers: { 'x-position': position },
    };
  });
}

/** GET /api/keys */
export function listKeys(context: HttpContext) {
  const shape = form({
    limit: optional(Type.Integer({ minimum: 1, maximum: 100, default: DEFAULT_LIMIT }), 'a whole number from 1 to 100'),
    cursor: field.cursor,
  });
  return endpoint(context, LIST_KEYS, shape, async ({ fields, headers }) => {
    const read = readCursor(fields.cursor);
    if (read.kind === 'refused') return read;
    await freshEnough('keys', headers, context);
    const page = await list(context.readModels, await context.collection('keys'), {
      limit: fields.limit ?? DEFAULT_LIMIT,
      after: read.cursor,
    });
    return { kind: 'data', data: { items: page.items.map(presentKey), next_cursor: writeCursor(page.next) } };
  });
}

/** GET /api/keys/self */
export function ownKey(context: HttpContext) {
  return endpoint(context, OWN_KEY, null, async ({ caller, usage, cause }) => ({
    kind: 'data',
    data: {
      ...presentKey(caller),
      usage: usage === null ? null : presentUsage(usage, cause.at),
      use: { today: presentUse(await context.use.today(caller.keyId)) },
    },
  }));
}

/** POST /api/keys/{id}/deactivate */
export function deactivateKey(context: HttpContext) {
  return endpoint(context, DEACTIVATE_KEY, null, async ({ params, cause }) => {
    const id = params['id'] ?? '';
    const done = await deactivate(id, cause, context);
    if (done.kind === 'refused') return done;
    if (done.position !== null) await context.passed('keys', done.position);
    return {
      kind: 'data',
      data: { id, active: false },
      headers: done.position === null ? {} : { 'x-position': done.position },
    };
  });
}

/** GET /api/health: does this key work? */
export function health(context: HttpContext) {
  return endpoint(context, HEALTH, null, ({ caller, usage }) => ({
    kind: 'data',
    data: {
      status: 'ok' as const,
      version: context.version,
      time: new Date(context.clock.nowMs()).toISOString(),
      key: {
        prefix: caller.prefix,
        name: caller.name,
        plan: caller.plan,
        permissions: caller.permissions,
        daily_remaining: usage?.day.remaining ?? null,
      },
    },
  }));
}

function listOfOtherPlan(addresses: unknown, plan: unknown): Fault | null {
  if (addresses === null || addresses === undefined || plan === 'enterprise') return null;
  const sentence = `ip_allowlist is for keys of the plan "enterprise" only; plan was ${JSON.stringify(plan ?? 'free')}.`;
  return { code: 'INVALID_REQUEST', sentence };
}

/** A key that never works would be a mistake that nobody is told of. */
function alreadyPast(expiresAt: unknown, nowMs: number): Fault | null {
  const expiresMs = typeof expiresAt === 'string' ? field.parseTimestamp(expiresAt) : null;
  if (expiresMs === null || expiresMs > nowMs) return null;
  const sentence = `expires_at must lie in the future; it was "${String(expiresAt)}", now it is ${new Date(nowMs).toISOString()}.`;
  return { code: 'INVALID_REQUEST', sentence };
}

/** What was used of the plan's minute and day, and when the day is over. */
function presentUsage({ minute, day }: Usage, now: string) {
  return {
    minute: { limit: minute.limit, used: minute.used, remaining: minute.remaining },
    day: {
      limit: day.limit,
      used: day.used,
      remaining: day.remaining,
      resets_at: new Date(Date.parse(now) + day.resetMs).toISOString(),
    },
  };
}

/** Requests that were answered, by endpoint in alphabetical order. */
function presentUse(use: Use) {
  const endpoints = [...use].sort(([one], [other]) => (one < other ? -1 : 1));
  const requests = endpoints.reduce((sum, [, { ok, refused, failed }]) => sum + ok + refused + failed, 0);
  return { requests, by_endpoint: Object.fromEntries(endpoints) };
}

function presentKey(key: KnownKey) {
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
