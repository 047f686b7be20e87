import { WEBHOOK_EVENTS, type WebhookEvent } from '../../domain/apikey/apikey.ts';
import { API_VERSION, EVENT_CONTRACTS } from '../../webhooks/event-contracts.ts';
import type { About } from './described-routes.ts';
import { inWords, retriesInWords } from './durations.ts';
import { type Components, type Json, jsonSchema } from './json-schema.ts';

/** The webhooks of the OpenAPI document: one operation for each event. */
export function webhookOperations({ webhookTimeoutMs }: About, components: Components): Json {
  const rules = `Sent to the \`webhook_url\` of the booking, or else of the key, where the key's \`webhook_events\` name it. Check a
signature before anything else. Any 2xx within ${inWords(webhookTimeoutMs)} acknowledges it; everything else is tried again
after ${retriesInWords()}. It can come more than once, with the same \`id\`, and after later ones: \`sequence\` says what came
first.`;
  return Object.fromEntries(WEBHOOK_EVENTS.map((event) => [event, { post: operationOf(event, rules, components) }]));
}

const HEADERS: Readonly<Record<string, string>> = {
  'X-Service-Event': 'The event.',
  'X-Service-Delivery-Id': 'The delivery: the same in each of its attempts, as the log shows it.',
  'X-Service-Signature':
    '`sha256=` and the HMAC-SHA256 of the body in hex, keyed with the whole secret as it was shown, `whsec_` included; while a ' +
    'secret is being replaced, with the old one.',
  'webhook-id': "The event's `id`.",
  'webhook-timestamp': 'When this attempt was made, in seconds since the epoch.',
  'webhook-signature':
    '`v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64, keyed with what the base64 after `whsec_` stands for ' +
    '(Standard Webhooks). While a secret is being replaced there are two, the new one first, with a space between them.',
};

function operationOf(event: WebhookEvent, rules: string, components: Components): Json {
  const { summary, schema, example } = EVENT_CONTRACTS[event];
  return {
    operationId: `on_${event}`,
    tags: ['Webhooks'],
    summary,
    description: rules,
    parameters: Object.entries(HEADERS).map(([name, description]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
    })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: jsonSchema(schema, components),
          example: {
            id: 'evt_17e9pafgjzahm2gac8fs10dx',
            event,
            api_version: API_VERSION,
            created_at: '2026-11-21T13:02:11.000Z',
            sequence: 5,
            data: example,
          },
        },
      },
    },
    responses: {
      '2XX': { description: 'You have it.' },
      default: { description: 'It is tried again. Of the answer, only status and `Retry-After` are read.' },
    },
    security: [],
  };
}
