import type { LocalDate } from '../../domain/activity/activity.ts';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../domain/delivery/delivery.ts';
import { API_VERSION, EVENT_CONTRACTS } from '../../webhooks/event-contracts.ts';
import type { About } from './described-routes.ts';
import { inWords, retriesInWords } from './durations.ts';
import { exampleOf } from './example-dates.ts';
import { type Components, type Json, jsonSchema } from './json-schema.ts';

/** The webhooks of the OpenAPI document: one operation for each event. */
export function webhookOperations({ webhookTimeoutMs, today }: About, components: Components): Json {
  const rules = `Sent to the \`webhook_url\` of the booking, or else of the key, if the key's \`webhook_events\` include the event. Check a
signature before anything else. Any 2xx within ${inWords(webhookTimeoutMs)} acknowledges the event; after any other outcome the
service sends it again after ${retriesInWords()}. An event can arrive more than once, with the same \`id\`, and after later
ones: \`sequence\` gives the order.`;
  return Object.fromEntries(
    WEBHOOK_EVENTS.map((event, at) => {
      const described = at === 0 ? { rules, headers: HEADERS } : { rules: AS_THE_FIRST, headers: SHORT_HEADERS };
      return [event, { post: operationOf(event, described, today, components) }];
    }),
  );
}

const HEADERS: Readonly<Record<string, string>> = {
  'X-Service-Event': 'The event.',
  'X-Service-Delivery-Id': 'The delivery id of the log, the same in each attempt.',
  'X-Service-Signature':
    '`sha256=` and the HMAC-SHA256 of the body in hex, keyed with the whole secret, `whsec_` included; while a secret ' +
    'is being replaced, with the old one.',
  'webhook-id': "The event's `id`.",
  'webhook-timestamp': 'When this attempt was made, in seconds since the epoch.',
  'webhook-signature':
    '`v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64, keyed with the bytes that `whsec_` precedes in base64 ' +
    '(Standard Webhooks). While a secret is being replaced there are two, the new one first, with a space between them.',
};

/** The first operation describes what is the same in all: the document has a limit. */
const AS_THE_FIRST = `Sent, signed and repeated like \`on_${WEBHOOK_EVENTS[0]}\`.`;
const SHORT_HEADERS = Object.fromEntries(
  Object.entries(HEADERS).map(([name, text]) => [
    name,
    text.length < 100 ? text : `As in \`on_${WEBHOOK_EVENTS[0]}\`.`,
  ]),
);

type Described = { readonly rules: string; readonly headers: typeof HEADERS };

function operationOf(
  event: WebhookEvent,
  { rules, headers }: Described,
  today: LocalDate,
  components: Components,
): Json {
  const { summary, schema, example } = EVENT_CONTRACTS[event];
  return {
    operationId: `on_${event}`,
    tags: ['Webhooks'],
    summary,
    description: rules,
    parameters: Object.entries(headers).map(([name, description]) => ({
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
          example: exampleOf(
            {
              id: 'evt_17e9pafgjzahm2gac8fs10dx',
              event,
              api_version: API_VERSION,
              created_at: '2026-11-21T13:02:11.000Z',
              sequence: 5,
              data: example,
            },
            today,
          ),
        },
      },
    },
    responses: {
      '2XX': { description: 'Acknowledged.' },
      default: { description: 'The service sends the event again. It reads only status and `Retry-After`.' },
    },
    security: [],
  };
}
