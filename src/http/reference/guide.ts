import { ERROR_CODES, type ErrorCode, type Resolution, refusal } from '../../application/refusal.ts';
import { LANGUAGES } from '../../domain/activity/vocabulary.ts';
import { PLAN_LIMITS, PLANS } from '../../domain/apikey/apikey.ts';
import { WEBHOOK_EVENTS } from '../../domain/delivery/delivery.ts';
import { accessesOf } from '../admission.ts';
import { MAX_BODY_BYTES } from '../body.ts';
import { MEANINGS } from '../error-meanings.ts';
import { STATUS } from '../status.ts';
import { callersOf } from './callers.ts';
import { codesOf } from './codes.ts';
import type { About, DescribedRoute } from './described-routes.ts';
import { inWords, retriesInWords } from './durations.ts';

/**
 * `/llms.txt`: instructions for agents, in Markdown. The endpoints and error codes come from the routes; a step appears
 * only if its route exists.
 */
export function guide(routes: readonly DescribedRoute[], about: About): string {
  const { version, publicUrl } = about;
  const steps = JOURNEY.flatMap(({ needs, text }) => {
    const route = routes.find(({ operationId }) => operationId === needs);
    return route === undefined ? [] : [text(`\`${route.method} ${route.path}\``)];
  });
  const topics = TOPICS.flatMap(({ needs, title, lines }) => {
    const route = routes.find(({ operationId }) => operationId === needs);
    if (route === undefined) return [];
    const items = lines(`\`${route.method} ${route.path}\``, about).map((line) => `- ${line}`);
    return [[`## ${title}`, '', ...items, ''].join('\n')];
  });
  const agents = routes.flatMap((route) => {
    const access = accessesOf(route.access).find(({ by }) => by === 'key');
    if (access !== undefined) return [{ ...route, access }];
    return route.tag === 'Vouchers' || route.tag === 'Tools' ? [route] : [];
  });
  const codes = new Set<ErrorCode>(['NOT_FOUND', 'METHOD_NOT_ALLOWED', ...agents.flatMap(codesOf)]);
  return `# Waymark

> Travel activities in South-East Asia for AI agents: find what can be booked, book it, and get a voucher that is verified at the venue. Bookings are real and charged.

- Base URL: ${publicUrl} (version ${version})
- Full reference: ${publicUrl}/openapi.json (OpenAPI 3.1), ${publicUrl}/docs (for people)
- Send your key in every request: \`x-api-key: <API_KEY>\`. Bodies are JSON: \`content-type: application/json\`, at most ${MAX_BODY_BYTES / 1024} KiB.
- Every 404 has a \`Link\` to this guide. An unknown path gets \`NOT_FOUND\` with the nearest known one; another method gets \`METHOD_NOT_ALLOWED\`.
- Unknown fields, query parameters and tool arguments, and a parameter sent twice, are refused: \`INVALID_REQUEST\` names each and the nearest known one. \`data.interpreted\` shows the values that were understood differently from how you wrote them.
- A success is \`{"success": true, "data": …}\` with status 200; a failure is \`{"success": false, "error", "code", "details", "retryable", "resolution", "alternatives"?}\`.

## From a wish to a voucher

${steps.map((text, index) => `${index + 1}. ${text}`).join('\n')}

${examplesOf(routes, publicUrl)}## Idempotency

- Send \`Idempotency-Key\` (1 to 255 characters, one for each booking or hold you want) with every booking and hold. After a time-out or a 5xx, send the same request with the same key: it has one outcome, and the answer to a repetition has \`Idempotent-Replayed: true\`.
- The same key with another body is \`IDEMPOTENCY_KEY_REUSED\`: a different request needs a new key.

## Dates, money, languages

- \`booking_date\` is a calendar date at the activity's city, which also decides what "today" is. Timestamps are UTC.
- Amounts are numbers in the currency beside them. One slot is one guest, children included.
- \`Accept-Language\` selects one of ${LANGUAGES.join(', ')}.
- Lists follow changes within moments; send an answer's \`X-Position\` back as a header and the query includes what you did.

${topics.map((topic) => `${topic}\n`).join('')}## When it fails

Act on \`resolution\`; read \`error\` and \`details\`, which name each bad field and what to send instead.

${(['fix_request', 'choose_other', 'retry_later', 'contact_operator'] as const).map((each) => familyOf(each, codes)).join('\n\n')}

## Endpoints for agents

${agents.map(lineOf).join('\n')}

The full reference has those of gates too, and ${publicUrl}/openapi-operators.json those of operators and the dashboard.
`;
}

type Step = { readonly needs: string; readonly text: (route: string) => string };

const JOURNEY: readonly Step[] = [
  {
    needs: 'recommend',
    text: (route) =>
      `${route}: activities ranked for a traveller and a place, each with its reason; for other days send \`date\` and \`date_to\`, for a group \`guests\`. Send what you know about the traveller, at least \`user_profile.travel_type\`, and \`location\`. Take an \`id\` as \`activity_id\` and its \`available_date\`; keep \`data.context.log_id\`.`,
  },
  {
    needs: 'inventory',
    text: (route) =>
      `${route}: what can be booked for a city and date, with price and free slots. Use it if the user knows what they want, or for another date.`,
  },
  {
    needs: 'activity_details',
    text: (route) =>
      `${route}: hours, meeting point, cancellation policy and next free dates. \`GET /api/b2a/activities?q=\` finds activities by words in any language; \`GET /api/b2a/cities\` and \`GET /api/b2a/hotels\` list the places.`,
  },
  {
    needs: 'execute_booking',
    text: (route) =>
      `${route} with \`"dry_run": true\`: the price for these guests and whether enough slots are free. Books nothing.`,
  },
  {
    needs: 'hold',
    text: (route) =>
      `${route}, if the user wants to think: keeps slots and price until \`expires_at\`. Book with its \`hold_id\`, for the same activity, date and guests; release it with DELETE if the user does not want it.`,
  },
  {
    needs: 'execute_booking',
    text: (route) =>
      `${route} with an \`Idempotency-Key\`: books and charges. Ask the user first, and send the total that they agreed to as \`expected_total\`: at another price nothing is booked. Send the \`log_id\` as \`context_log_id\`, and your own ids as \`reference\` and \`metadata\`. The answer has the voucher's code and \`qr_url\`; give them only to the guest: the code is the voucher.`,
  },
  {
    needs: 'get_booking',
    text: (route) =>
      `${route}: the present state. Poll it while \`status\` is not final: an activity with \`confirmation: on_request\` is \`pending\` until its venue answers; nothing is charged until it is \`confirmed\`.`,
  },
  {
    needs: 'cancel_booking',
    text: (route) =>
      `${route}: cancels it. Ask first with \`"dry_run": true\` what is refunded at this moment, and tell the user.`,
  },
];

/** A chapter of the guide. The guide contains it only if the operation `needs` exists. */
type Topic = {
  readonly needs: string;
  readonly title: string;
  /** @param route the operation's method and path */
  readonly lines: (route: string, about: About) => readonly string[];
};

const TOPICS: readonly Topic[] = [
  {
    needs: 'own_key',
    title: 'Limits',
    lines: (route) => [
      `By the key's plan: ${PLANS.map(limitsOf).join('; ')}. The minute slides; the day is a UTC day.`,
      `\`RateLimit\` says in every answer what remains (\`r\`) and after how many seconds there is more (\`t\`). ${route} says it too; it does not count, nor does \`GET /api/health\`.`,
      'A key with `mode: "test"` tries everything: its bookings take no live slots, charge nothing and count nowhere.',
      'Over a limit the answer is 429: wait `Retry-After` seconds. Over the quota, a request with the `Idempotency-Key` of an existing booking still returns that booking.',
    ],
  },
  {
    needs: 'test_webhook',
    title: 'Webhooks',
    lines: (route, { webhookTimeoutMs }) => [
      `The service posts events, so you need not poll: ${WEBHOOK_EVENTS.map((event) => `\`${event}\``).join(', ')} go to the \`webhook_url\` of the booking, or else of the key. ${route} sends an example.`,
      "Verify `webhook-signature` (Standard Webhooks) or `X-Service-Signature` with the key's `whsec_` secret before anything else.",
      `Any 2xx within ${inWords(webhookTimeoutMs)} acknowledges an event; otherwise the service sends it again after ${retriesInWords()}. Handle each \`id\` once; within a booking \`sequence\` gives the order.`,
      'To catch up: `POST /api/webhooks/deliveries/{id}/resend` sends one delivery again, `POST /api/webhooks/recover` all that failed since a time, `POST /api/webhooks/replay` the events of a period; `GET /api/b2a/events` lists them in pages, without a receiver.',
      'The service suspends a receiver that only fails for days; `GET /api/keys/self` says so in `webhook`. Repair it, `POST /api/webhooks/enable`, then recover.',
    ],
  },
  {
    needs: 'mcp',
    title: 'As tools (MCP)',
    lines: (route, { publicUrl }) => [
      `The tools \`recommend\`, \`inventory\` and \`book\` of the Model Context Protocol: ${route}, streamable HTTP at ${publicUrl}/mcp without sessions, with the same \`x-api-key\`. Each call is one request to this API, and counts as one.`,
      'A refusal is a result with `isError: true`, whose text says what to do next. `book` takes `idempotency_key`: send it, and send the same one again if an answer was lost.',
    ],
  },
];

function limitsOf(plan: (typeof PLANS)[number]): string {
  const limits = PLAN_LIMITS[plan];
  return limits === null
    ? `\`${plan}\` has none`
    : `\`${plan}\` ${limits.perMinute} requests a minute and ${limits.perDay} a day`;
}

const FAMILIES: Readonly<Record<Resolution, string>> = {
  fix_request: 'the request is wrong. Correct it; do not repeat it unchanged.',
  choose_other:
    'the service cannot give this. Offer the user one of `alternatives` if there are any, else another activity or date.',
  retry_later:
    'wait `Retry-After` seconds if the answer has it, then repeat the same request with the same Idempotency-Key. `retryable: true` means that this can succeed.',
  contact_operator: 'neither another request nor waiting helps. Tell the user, or the operator of this service.',
};

function familyOf(resolution: Resolution, known: ReadonlySet<ErrorCode>): string {
  const codes = ERROR_CODES.filter((code) => known.has(code) && refusal(code, '').resolution === resolution);
  const lines = codes.map((code) => `- ${STATUS[code]} \`${code}\`: ${MEANINGS[code]}`);
  return [`\`${resolution}\`: ${FAMILIES[resolution]}`, '', ...lines].join('\n');
}

function lineOf({ method, path, access, summary }: DescribedRoute): string {
  return `- \`${method} ${path}\` (${callersOf(access).short}): ${summary}`;
}

/**
 * Example commands for recommending and booking, each followed by an empty line. It skips operations that do not exist.
 */
function examplesOf(routes: readonly DescribedRoute[], publicUrl: string): string {
  const commandOf = (id: string, more: string): string => {
    const route = routes.find(({ operationId }) => operationId === id);
    if (route === undefined) return '';
    return `    curl -s ${publicUrl}${route.path} -H "x-api-key: $KEY" -H 'content-type: application/json' \\
      ${more}-d '${JSON.stringify(route.example ?? {})}'

`;
  };
  const commands = `${commandOf('recommend', '')}${commandOf('execute_booking', "-H 'idempotency-key: trip-42-evening' ")}`;
  return commands === '' ? '' : `Examples, with ids and a date of your own:\n\n${commands}`;
}
