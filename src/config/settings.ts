import { COMMAND_LINE_SETTINGS } from './command-line-settings.ts';
import { DATA_PROTECTION_SETTINGS } from './data-protection-settings.ts';
import {
  ALL_ROLES,
  anyText,
  CERTIFICATES,
  EVENTSTORE_URL,
  hours,
  IS_PRODUCTION,
  integer,
  MAILBOX,
  MONGODB_URL,
  milliseconds,
  minutes,
  ON_OFF,
  oneOf,
  path,
  ROLES,
  SECRET_KEY,
  SMTP_URL,
  STREAM_PREFIX,
  TOKEN,
} from './formats.ts';
import { HTTP_SETTINGS } from './http-settings.ts';
import { RECOMMENDATION_SETTINGS } from './recommendation-settings.ts';
import { optional, setting } from './setting.ts';

const GENERATED = 'generated at the first start and stored in `DATA_DIR`';

/**
 * Every setting, by the field of `Config` that holds its value. Parsing, the `Config` type, `waymark COMMAND --help`,
 * docs/configuration.md and the check for unknown names are made from this table, the last two by its headings. Durations are in milliseconds.
 */
export const SETTINGS = {
  ...HTTP_SETTINGS,
  'Process and log': {
    production: setting(
      'NODE_ENV',
      IS_PRODUCTION,
      '',
      'In production there is no demo key, webhook URLs must be `https://` and public, and `TLS_CERT` and `TLS_KEY`, or `TRUSTED_PROXIES`, are required; weak or equal secrets, and ranges of all addresses, stop the start.',
    ),
    roles: setting(
      'WAYMARK_ROLES',
      ROLES,
      ALL_ROLES.join(','),
      'What this process does: `api` answers requests, `projector` keeps the read models, `deliverer` sends mails and webhooks and reaps claims. `waymark serve --roles` overrides it.',
      'production.md',
    ),
    leaseMs: setting(
      'LEASE_TTL_MS',
      milliseconds(1_000, 300_000),
      '10000',
      'The lifetime of a lease. Other nodes take over the work of a dead node after this time and a few seconds.',
    ),
    projectorThread: setting('PROJECTOR_THREAD', ON_OFF, 'on', 'Whether projections run in a worker thread.'),
    projectionVersionDays: setting(
      'PROJECTION_VERSION_DAYS',
      integer(1, 3_650, 'days'),
      '7',
      "The service drops the collections of another release's projections when no node of that release has run for this time.",
    ),
    logLevel: setting(
      'LOG_LEVEL',
      oneOf('debug', 'info', 'warn', 'error', 'silent'),
      'info',
      'The lowest level to log.',
    ),
    testClock: optional(
      'WAYMARK_TEST_CLOCK',
      anyText('file'),
      'the clock of the machine',
      'A file with the present time, for tests. Refused in production.',
      'operations.md#a-clock-for-tests',
    ),
  },
  Stores: {
    dataDirectory: setting(
      'DATA_DIR',
      path('directory'),
      './data',
      'The directory of all stored data. The service creates it with mode 700.',
    ),
    eventStore: optional(
      'EVENTSTORE_URL',
      EVENTSTORE_URL,
      'events are stored in `DATA_DIR`',
      'The EventStoreDB server or cluster that stores the events. Requires `MONGODB_URL`.',
      'production.md',
    ),
    streamPrefix: setting(
      'WAYMARK_STREAM_PREFIX',
      STREAM_PREFIX,
      '',
      'Precedes every stream name in EventStoreDB, so that several installations can share one server.',
      'operations.md#eventstoredb-and-mongodb',
    ),
    mongodb: optional(
      'MONGODB_URL',
      MONGODB_URL,
      'read models are stored in `DATA_DIR`',
      'The MongoDB deployment that stores read models and usage counters. Requires `EVENTSTORE_URL`.',
      'production.md',
    ),
  },
  Secrets: {
    adminToken: optional(
      'WAYMARK_ADMIN_TOKEN',
      TOKEN,
      GENERATED,
      'The bearer token of the operator `admin`. A command also takes the token of a named operator.',
      'operators.md',
    ),
    analystToken: optional(
      'WAYMARK_ANALYST_TOKEN',
      TOKEN,
      GENERATED,
      'The bearer token of the operator `analyst`, who only reads. A command also takes the token of a named operator.',
      'operators.md',
    ),
    secretKey: optional(
      'WAYMARK_SECRET_KEY',
      SECRET_KEY,
      GENERATED,
      'Encrypts stored secrets, among them the key that signs vouchers. All nodes need the same one. Keep a copy. A new one replaces it together with `WAYMARK_SECRET_KEY_PREVIOUS`.',
      'operations.md#secrets',
    ),
    secretKeyPrevious: optional(
      'WAYMARK_SECRET_KEY_PREVIOUS',
      SECRET_KEY,
      '`DATA_DIR/secret-key-previous` if it exists',
      'A second secret key that opens stored secrets: the replaced one during a rotation, and before it the next one.',
      'operations.md#rotate-the-secret-key',
    ),
  },
  'Catalogue, rates and deals': {
    catalogueDirectory: optional(
      'CATALOGUE_DIR',
      path('directory of `*.json` files, one per city'),
      'the catalogue that ships with Waymark',
      'The activities and hotels.',
      'supply.md',
    ),
    exchangeRatesFile: optional(
      'EXCHANGE_RATES_FILE',
      path('JSON file of dated rates'),
      'the rates that ship with Waymark',
      'The exchange rates for comparing prices.',
      'exchange-rates.md',
    ),
    supplyRefreshMs: setting(
      'SUPPLY_REFRESH_MINUTES',
      minutes(1, 1_440),
      '15',
      'The interval at which the service reads catalogue and exchange rates again if it noticed no change of a file.',
      'supply.md',
    ),
    flashDeals: setting(
      'FLASH_DEALS',
      ON_OFF,
      'on',
      'Whether the service starts flash deals by itself. It does not affect deals that operators start.',
    ),
    flashDealsFile: optional(
      'FLASH_DEALS_FILE',
      path('JSON file'),
      'the policy that ships with Waymark',
      'The policy by which the service starts flash deals.',
      'flash-deals.md',
    ),
  },
  Bookings: {
    daysAhead: setting('BOOKING_DAYS_AHEAD', integer(1, 3_650, 'days'), '365', 'How far ahead a booked date may lie.'),
    guestLimits: {
      maxAdults: setting('MAX_ADULTS', integer(1, 100), '20', 'Adults in one booking.'),
      maxChildren: setting('MAX_CHILDREN', integer(0, 100), '20', 'Children in one booking.'),
      maxGuests: setting('MAX_GUESTS', integer(1, 200), '30', 'Adults and children in one booking.'),
    },
    responseMs: setting(
      'RESPONSE_DEADLINE_MS',
      milliseconds(100, 120_000),
      '10000',
      'How long a request may work at a booking before the service answers with `processing` or 503.',
    ),
    claimMs: setting(
      'CLAIM_DEADLINE_MS',
      milliseconds(200, 3_600_000),
      '60000',
      'After this time the reaper releases a claim that no booking names, and ends a booking that was only started. At least twice `RESPONSE_DEADLINE_MS`.',
      'operations.md#the-reaper',
    ),
    reaperMs: setting('REAPER_INTERVAL_MS', milliseconds(50, 60_000), '1000', 'The interval of the reaper.'),
    holdMs: setting('HOLD_MINUTES', minutes(1, 1_440), '10', 'How long a hold reserves slots and price.'),
    onRequestMs: setting(
      'ON_REQUEST_HOURS',
      hours(1, 720),
      '24',
      'How long a venue may take to answer a booking on request, never beyond the last entry on its date.',
    ),
  },
  Mail: {
    mail: {
      server: optional(
        'SMTP_URL',
        SMTP_URL,
        'mails are written to `DATA_DIR/outbox`',
        'The mail server. On another machine it needs STARTTLS and a trusted certificate; `?tls=offered` accepts less, but sends no password.',
        'operations.md#mail',
      ),
      ca: optional(
        'SMTP_CA',
        CERTIFICATES,
        'those of the system',
        'The trusted certificate authorities for `SMTP_URL`.',
      ),
      from: setting(
        'MAIL_FROM',
        MAILBOX,
        'Waymark <vouchers@waymark.localhost>',
        'The sender of mails. Required with a mail server on another machine.',
      ),
      waitMs: setting(
        'MAIL_WAIT_MS',
        milliseconds(0, 30_000),
        '5000',
        'How long the answer to a booking waits for its mail. 0: it does not wait.',
      ),
      connections: setting(
        'MAIL_CONNECTIONS',
        integer(1, 64),
        '8',
        'How many mails the service sends at the same time.',
      ),
      thread: setting('MAIL_THREAD', ON_OFF, 'on', 'Whether a worker thread composes and sends mails.'),
    },
  },
  Webhooks: {
    webhookTimeoutMs: setting(
      'WEBHOOK_TIMEOUT_MS',
      milliseconds(100, 120_000),
      '30000',
      'How long a receiver may take to answer an attempt.',
    ),
    webhookLogDays: setting(
      'WEBHOOK_LOG_DAYS',
      integer(1, 3_650, 'days'),
      '90',
      'How long the delivery log lists deliveries. The service delivers no older event.',
    ),
    webhookSuspendDays: setting(
      'WEBHOOK_SUSPEND_DAYS',
      integer(1, 365, 'days'),
      '5',
      'The service suspends a receiver that has only failed for this time.',
    ),
  },
  ...DATA_PROTECTION_SETTINGS,
  ...RECOMMENDATION_SETTINGS,
  ...COMMAND_LINE_SETTINGS,
};
