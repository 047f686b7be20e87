import { serviceUnavailable } from '../../application/refusal.ts';
import { enableEndpoint, NOT_FAILING } from '../../webhooks/endpoint-state.ts';
import { endpointId } from '../../webhooks/identifiers.ts';
import type { HttpContext } from '../context.ts';
import { ENABLE_WEBHOOK } from '../declarations/suspension.ts';
import { endpoint } from '../endpoint.ts';
import * as field from '../fields.ts';
import { form } from '../form.ts';
import { presentHealth } from '../key-answer.ts';

/** POST /api/webhooks/enable */
export function enable(context: HttpContext) {
  const shape = form({ webhook_url: field.webhookUrl(context.production) });
  return endpoint(context, ENABLE_WEBHOOK, shape, async ({ caller, fields, cause }) => {
    const { keyId, webhookUrl } = caller;
    const origin = URL.parse(fields.webhook_url ?? '')?.origin;
    const receiver = origin === undefined ? ({ kind: 'key' } as const) : ({ kind: 'booking', origin } as const);
    const id = endpointId(context.digest, { keyId, endpoint: receiver }, webhookUrl);
    if (id === null) return { kind: 'data', data: presentHealth(NOT_FAILING) };
    const done = await enableEndpoint(id, cause, context.webhooks);
    if (done.kind === 'unavailable') return serviceUnavailable(done.reason);
    const headers = done.position === null ? {} : { 'x-position': done.position };
    return { kind: 'data', data: presentHealth(done.health), headers };
  });
}
