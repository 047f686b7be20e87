import { WEBHOOK_EVENTS, type WebhookEvent } from '../../domain/delivery/delivery.ts';
import { EVENT_CONTRACTS, EXAMPLE_ENVELOPE } from '../../webhooks/event-contracts.ts';
import type { About } from './described-routes.ts';
import { inWords, retriesInWords } from './durations.ts';
import { exampleOf } from './example-dates.ts';
import { type Components, type Json, jsonSchema } from './json-schema.ts';
import { addExample } from './shared-examples.ts';

/** The webhooks of the OpenAPI document: one operation for each event. `webhookRules` says what they have in common. */
export function webhookOperations({ today }: About, components: Components): Json {
  const operations = WEBHOOK_EVENTS.map((event) => [event, { post: operationOf(event, components) }] as const);
  // After all components are made: a later conversion of a base with an example would differ.
  for (const event of WEBHOOK_EVENTS) {
    const { $id, example } = EVENT_CONTRACTS[event];
    addExample($id, new Map([[$id, exampleOf({ ...EXAMPLE_ENVELOPE, event, data: example }, today)]]), components);
  }
  return Object.fromEntries(operations);
}

/** For the introduction of the document, since each operation would repeat it. */
export function webhookRules({ webhookTimeoutMs }: About): string {
  return `The service sends an event to the \`webhook_url\` of the booking, or else of the key, if the key's \`webhook_events\` include it.
Check a signature before anything else. \`X-Service-Signature\` is \`sha256=\` and the HMAC-SHA256 of the body in hex, keyed
with the whole secret, \`whsec_\` included; \`webhook-signature\` (Standard Webhooks) is \`v1,\` and the HMAC-SHA256 of
\`id.timestamp.body\` in base64, keyed with the bytes that \`whsec_\` precedes in base64. While a secret is being replaced,
the former is made with the old one, and the latter has two, the new one first, with a space between them.
Any 2xx within ${inWords(webhookTimeoutMs)} acknowledges the event; after any other outcome the service sends it again
after ${retriesInWords()}. It reads only status and \`Retry-After\`. An event can arrive more than once, with the same \`id\`, and after later ones: \`sequence\` gives
the order.`;
}

const HEADERS: Readonly<Record<string, string>> = {
  'X-Service-Event': 'The event.',
  'X-Service-Delivery-Id': 'The same in each attempt.',
  'X-Service-Signature': 'See the introduction.',
  'webhook-id': "The event's `id`.",
  'webhook-timestamp': 'Of this attempt, in seconds since the epoch.',
  'webhook-signature': 'See the introduction.',
};

function operationOf(event: WebhookEvent, components: Components): Json {
  const { summary, schema } = EVENT_CONTRACTS[event];
  const reference = jsonSchema(schema, components);
  return {
    operationId: `on_${event}`,
    tags: ['Webhooks'],
    summary,
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
        'application/json': { schema: reference },
      },
    },
    responses: {
      '2XX': { description: 'Acknowledged.' },
      default: { description: 'The service sends the event again.' },
    },
    security: [],
  };
}
