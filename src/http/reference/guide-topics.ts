import { PLAN_LIMITS, PLANS, WEBHOOK_EVENTS } from '../../domain/apikey/apikey.ts';
import type { About } from './about.ts';
import { inWords, retriesInWords } from './durations.ts';

/** A chapter of the guide. The guide contains it only if the operation `needs` exists. */
export type Topic = {
  readonly needs: string;
  readonly title: string;
  /** @param route the operation's method and path */
  readonly lines: (route: string, about: About) => readonly string[];
};

export const TOPICS: readonly Topic[] = [
  {
    needs: 'own_key',
    title: 'Limits',
    lines: (route) => [
      `By the key's plan: ${PLANS.map(limitsOf).join('; ')}. The minute slides, the day is that of UTC.`,
      `\`RateLimit\` tells in every answer what is left (\`r\`) and in how many seconds there is more (\`t\`); so does ${route}, which counts for nothing, like \`GET /api/health\`.`,
      'Over a limit the answer is 429: wait `Retry-After` seconds. A booking that was already made is still answered over the quota, to the same `Idempotency-Key`.',
    ],
  },
  {
    needs: 'test_webhook',
    title: 'Webhooks',
    lines: (route, { webhookTimeoutMs }) => [
      `Instead of polling: ${WEBHOOK_EVENTS.map((event) => `\`${event}\``).join(', ')} are posted to the \`webhook_url\` of the booking, or else of the key. ${route} sends an example.`,
      "Verify `webhook-signature` (Standard Webhooks) or `X-Service-Signature` with the key's `whsec_` secret before anything else.",
      `Any 2xx within ${inWords(webhookTimeoutMs)} acknowledges; otherwise it comes again after ${retriesInWords()}. Handle each \`id\` once; within a booking \`sequence\` gives the order.`,
      'What was missed: `POST /api/webhooks/deliveries/{id}/resend` sends one delivery again, `POST /api/webhooks/recover` all that has failed since a time, `POST /api/webhooks/replay` the events of a time; `GET /api/b2a/events` has them as pages, without a receiver.',
      'A receiver that only fails for days is suspended, and `GET /api/keys/self` says so in `webhook`: mend it, `POST /api/webhooks/enable`, then recover.',
    ],
  },
  {
    needs: 'mcp',
    title: 'As tools (MCP)',
    lines: (route, { publicUrl }) => [
      `The tools \`recommend\`, \`inventory\` and \`book\` of the Model Context Protocol: ${route}, streamable HTTP at ${publicUrl}/mcp without sessions, with the same \`x-api-key\`. Each call is one request to this API, and counts as one.`,
      'A refusal is a result with `isError: true`, whose text says what to do next. `book` takes `idempotency_key`: send it, and send the same one again where an answer was lost.',
    ],
  },
];

function limitsOf(plan: (typeof PLANS)[number]): string {
  const limits = PLAN_LIMITS[plan];
  return limits === null
    ? `\`${plan}\` has none`
    : `\`${plan}\` ${limits.perMinute} requests a minute and ${limits.perDay} a day`;
}
