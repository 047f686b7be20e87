import {
  changeKey,
  finishWebhookSecretRotation as finish,
  rotateWebhookSecret as rotate,
} from '../../application/manage-keys.ts';
import { serviceUnavailable } from '../../application/refusal.ts';
import type { Use } from '../../ports/key-use.ts';
import type { Usage } from '../../ports/usage-counters.ts';
import { keyReceiver } from '../../webhooks/endpoint-state.ts';
import type { HttpContext } from '../context.ts';
import {
  CHANGE_OWN_KEY,
  FINISH_WEBHOOK_SECRET_ROTATION,
  HEALTH,
  OWN_KEY,
  ROTATE_WEBHOOK_SECRET,
} from '../declarations/own-key.ts';
import { endpoint } from '../endpoint.ts';
import { form, withoutMembers } from '../form.ts';
import { keyAnswer, presentHealth, presentKey, presentReplaced, secretAnswer } from '../key-answer.ts';
import { ownSettings, settingsIn } from '../key-settings.ts';

/** Members of a key that only the operator changes. */
const OPERATORS = ['plan', 'permissions', 'ip_allowlist', 'expires_at', 'active'];

/** GET /api/keys/self */
export function ownKey(context: HttpContext) {
  return endpoint(context, OWN_KEY, null, async ({ caller, usage, cause }) => {
    const webhook = await keyReceiver(caller, context.webhooks);
    if (webhook.kind === 'unavailable') return serviceUnavailable(webhook.reason);
    return {
      kind: 'data',
      data: {
        ...presentKey(caller),
        webhook: presentHealth(webhook.health),
        previous: presentReplaced(caller.replaced, context.clock),
        usage: usage === null ? null : presentUsage(usage, cause.at),
        use: { today: presentUse(await context.use.today(caller.keyId)) },
      },
    };
  });
}

/** PATCH /api/keys/self */
export function changeOwnKey(context: HttpContext) {
  const shape = withoutMembers(OPERATORS, 'ask the operator for such a change', form(ownSettings(context.production)));
  return endpoint(context, CHANGE_OWN_KEY, shape, async ({ caller, fields, cause }) => {
    const done = await changeKey(caller.keyId, settingsIn(fields), cause, context);
    return done.kind === 'refused' ? done : keyAnswer(done, {}, context);
  });
}

/** POST /api/keys/self/webhook_secret/rotate */
export function rotateWebhookSecret(context: HttpContext) {
  return endpoint(context, ROTATE_WEBHOOK_SECRET, null, async ({ caller, cause }) => {
    const done = await rotate(caller.keyId, cause, context);
    if (done.kind === 'refused') return done;
    const { webhookSecret, oldUntil } = done;
    return secretAnswer(done, { webhook_secret: webhookSecret, previous_secret_signs_until: oldUntil }, context);
  });
}

/** POST /api/keys/self/webhook_secret/rotate/finish */
export function finishWebhookSecretRotation(context: HttpContext) {
  return endpoint(context, FINISH_WEBHOOK_SECRET_ROTATION, null, async ({ caller, cause }) => {
    const done = await finish(caller.keyId, cause, context);
    return done.kind === 'refused' ? done : keyAnswer(done, {}, context);
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
  const requests = endpoints.reduce((sum, [, { ok, refused: no, failed }]) => sum + ok + no + failed, 0);
  return { requests, by_endpoint: Object.fromEntries(endpoints) };
}
