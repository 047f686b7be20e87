import { Type } from 'typebox';
import { listKeys as list } from '../../../projections/keys/query.ts';
import {
  activateKey as activate,
  changeKey as change,
  createKey as create,
  deactivateKey as deactivate,
  type KeyDone,
  type KeysContext,
  readKey,
  rotateKey as rotate,
} from '../../application/manage-keys.ts';
import { type Refused, serviceUnavailable } from '../../application/refusal.ts';
import { type KeySettings, PERMISSIONS } from '../../domain/apikey/apikey.ts';
import type { Cause } from '../../eventsourcing/message.ts';
import { keyReceiver } from '../../webhooks/endpoint-state.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import {
  ACTIVATE_KEY,
  CHANGE_KEY,
  CREATE_KEY,
  DEACTIVATE_KEY,
  KEY_BY_ID,
  LIST_KEYS,
  ROTATE_KEY,
} from '../declarations/keys.ts';
import { endpoint } from '../endpoint.ts';
import * as field from '../fields.ts';
import { form, optional, withoutMembers } from '../form.ts';
import { freshEnough } from '../freshness.ts';
import { keyAnswer, presentExisting, presentHealth, presentKey, presentReplaced, secretAnswer } from '../key-answer.ts';
import { expiryAhead, newSettings, otherSettings, plan, settingsIn } from '../key-settings.ts';

const DEFAULT_LIMIT = 20;
const DEFAULT_OVERLAP_HOURS = 24;
const MAX_OVERLAP_HOURS = 168;

/** POST /api/keys */
export function createKey(context: HttpContext) {
  const shape = form(newSettings(context.production), { expires_at: expiryAhead(context.clock) });
  return endpoint(context, CREATE_KEY, shape, async ({ fields, cause }) => {
    const settings: KeySettings = {
      name: fields.name ?? '',
      plan: 'free',
      permissions: PERMISSIONS,
      webhookUrl: null,
      webhookEvents: null,
      ipAllowlist: null,
      contactEmail: null,
      expiresAt: null,
      ...settingsIn(fields),
    };
    const created = await create(settings, cause, context);
    if (created.kind === 'refused') return created;
    return secretAnswer(created, { key: created.value, webhook_secret: created.webhookSecret }, context);
  });
}

/** GET /api/keys */
export function listKeys(context: HttpContext) {
  const shape = form({
    active: optional(Type.Boolean(), 'true or false'),
    plan,
    limit: optional(Type.Integer({ minimum: 1, maximum: 100, default: DEFAULT_LIMIT }), 'a whole number from 1 to 100'),
    cursor: field.cursor,
  });
  return endpoint(context, LIST_KEYS, shape, async ({ fields, headers }) => {
    const read = readCursor(fields.cursor);
    if (read.kind === 'refused') return read;
    await freshEnough('keys', headers, context);
    const page = await list(context.readModels, await context.collection('keys'), {
      active: fields.active,
      plan: fields.plan,
      limit: fields.limit ?? DEFAULT_LIMIT,
      after: read.cursor,
    });
    return { kind: 'data', data: { items: page.items.map(presentKey), next_cursor: writeCursor(page.next) } };
  });
}

/** GET /api/keys/{id}: from its stream, so that it shows what any node did. */
export function keyById(context: HttpContext) {
  return endpoint(context, KEY_BY_ID, null, async ({ params }) => {
    const read = await readKey(params['id'] ?? '', context);
    if (read.kind === 'refused') return read;
    const webhook = await keyReceiver(read.key.facts, context.webhooks);
    if (webhook.kind === 'unavailable') return serviceUnavailable(webhook.reason);
    const previous = presentReplaced(read.key.replaced, context.clock);
    return { kind: 'data', data: { ...presentExisting(read.key), webhook: presentHealth(webhook.health), previous } };
  });
}

/** PATCH /api/keys/{id} */
export function changeKey(context: HttpContext) {
  const settings = form(otherSettings(context.production), { expires_at: expiryAhead(context.clock) });
  const elsewhere = 'POST /api/keys/{id}/deactivate, …/activate and …/rotate do that';
  const shape = withoutMembers(['active', 'key', 'webhook_secret'], elsewhere, settings);
  return endpoint(context, CHANGE_KEY, shape, async ({ params, fields, cause }) => {
    const done = await change(params['id'] ?? '', settingsIn(fields), cause, context);
    return done.kind === 'refused' ? done : keyAnswer(done, {}, context);
  });
}

/** POST /api/keys/{id}/deactivate */
export function deactivateKey(context: HttpContext) {
  return endpoint(context, DEACTIVATE_KEY, null, ({ params, cause }) => switched(deactivate, params, cause, context));
}

/** POST /api/keys/{id}/activate */
export function activateKey(context: HttpContext) {
  return endpoint(context, ACTIVATE_KEY, null, ({ params, cause }) => switched(activate, params, cause, context));
}

/** POST /api/keys/{id}/rotate */
export function rotateKey(context: HttpContext) {
  const hours = Type.Integer({ minimum: 0, maximum: MAX_OVERLAP_HOURS, default: DEFAULT_OVERLAP_HOURS });
  const shape = form({ overlap_hours: optional(hours, `a whole number from 0 to ${MAX_OVERLAP_HOURS}`) });
  return endpoint(context, ROTATE_KEY, shape, async ({ params, fields, cause }) => {
    const overlapHours = fields.overlap_hours ?? DEFAULT_OVERLAP_HOURS;
    const done = await rotate(params['id'] ?? '', { overlapHours }, cause, context);
    if (done.kind === 'refused') return done;
    const previous = presentReplaced(done.key.replaced, context.clock);
    return secretAnswer(done, { key: done.value, previous }, context);
  });
}

async function switched(
  command: (keyId: string, cause: Cause, context: KeysContext) => Promise<KeyDone | Refused>,
  params: Readonly<Record<string, string>>,
  cause: Cause,
  context: HttpContext,
) {
  const done = await command(params['id'] ?? '', cause, context);
  return done.kind === 'refused' ? done : keyAnswer(done, {}, context);
}
