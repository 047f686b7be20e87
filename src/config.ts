import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type EventStoreServer, readEventStoreUrl } from './adapters/eventstoredb/server-url.ts';
import { type MongoAddress, readMongoUrl } from './adapters/mongodb/address.ts';
import { readSmtpUrl, type SmtpServer } from './adapters/smtp/server.ts';
import { isAddressRange } from './application/address-ranges.ts';
import type { MailAddress } from './ports/mailer.ts';

/** Everything that can be set from outside. Each default stands here and in the README's table. */
export type Config = {
  readonly port: number;
  readonly host: string;
  readonly dataDirectory: string;
  /** Null, and then `mongodb` is too: events are kept in the data directory, by one process. */
  readonly eventStore: EventStoreServer | null;
  /** Null: read models and usage counters are kept in the data directory, and nobody shares them. */
  readonly mongodb: MongoAddress | null;
  /** What this process does for the service. */
  readonly roles: ReadonlySet<Role>;
  /** A node that dies is replaced after so long, and the skew that clocks may have. */
  readonly leaseMs: number;
  /** Null: the catalogue that Waymark ships. */
  readonly catalogueDirectory: string | null;
  /** Null: the rates that Waymark ships. */
  readonly exchangeRatesFile: string | null;
  /** How often the catalogue and the exchange rates are looked at where no change of them was noticed. */
  readonly supplyRefreshMs: number;
  /** Whether the service makes flash deals of its own. Operators' deals count in any case. */
  readonly flashDeals: boolean;
  /** Null: the policy that Waymark ships. */
  readonly flashDealsFile: string | null;
  readonly production: boolean;
  readonly adminToken: string | null;
  readonly analystToken: string | null;
  /** 32 bytes; null: made and kept in the data directory. */
  readonly secretKey: Uint8Array | null;
  /** Without a slash at the end; null: the listening address. */
  readonly publicUrl: string | null;
  /** Where the command line finds the running service; null: the address it left in the data directory. */
  readonly serviceUrl: string | null;
  /** The key with which `waymark mcp` calls the service. */
  readonly apiKey: string | null;
  /** Addresses and CIDR ranges of the proxies in front, whose word on the caller's address is taken. */
  readonly trustedProxies: readonly string[];
  /** Null: plain HTTP. */
  readonly tls: TlsFiles | null;
  /** So many wrong bearer tokens may come from an address in a row, and in a minute after that. */
  readonly wrongTokensPerMinute: number;
  readonly testClock: string | null;
  readonly logLevel: string;
  readonly daysAhead: number;
  readonly responseMs: number;
  readonly claimMs: number;
  /** How long a hold keeps slots and price. */
  readonly holdMs: number;
  /** How long a venue may take to answer a booking that it confirms on request. */
  readonly onRequestMs: number;
  readonly reaperMs: number;
  /** How long a stopping service goes on taking requests after `/readyz` says that it stops. */
  readonly stopDelayMs: number;
  /** A receiver of webhooks that has not answered by then has failed. */
  readonly webhookTimeoutMs: number;
  /** How long deliveries are shown; nothing older is scheduled any more. */
  readonly webhookLogDays: number;
  /** A receiver that has only failed for so long is suspended. */
  readonly webhookSuspendDays: number;
  /** Collections of projections of another version are dropped when no node of it was there for so long. */
  readonly projectionVersionDays: number;
  /** Whether projections run in a thread of their own. */
  readonly projectorThread: boolean;
  readonly mail: MailConfig;
  /** Of Open-Meteo or a service like it, without a slash at the end; null: no forecast is ever asked for. */
  readonly openMeteoUrl: string | null;
  readonly weatherDeadlineMs: number;
  readonly guestLimits: { readonly maxAdults: number; readonly maxChildren: number; readonly maxGuests: number };
};

/** PEM files: the certificate with those that lead to it, and its key. */
export type TlsFiles = { readonly cert: string; readonly key: string };

/** `api` answers requests, `projector` keeps the read models, `deliverer` mails vouchers, tells receivers, gives claims back. */
export type Role = (typeof ROLES)[number];

const ROLES = ['api', 'projector', 'deliverer'] as const;

export type MailConfig = {
  /** Null: mails are written to `outbox/` in the data directory. */
  readonly server: SmtpServer | null;
  /** PEM certificates trusted for the server in place of the usual ones; null: the usual ones. */
  readonly ca: string | null;
  readonly from: MailAddress;
  /** How long a booking's answer waits for its mail; 0: not at all. */
  readonly waitMs: number;
  /** Mails under way at once, each on a connection of its own. */
  readonly connections: number;
  /** Whether mails are put together and sent in a thread of their own. */
  readonly thread: boolean;
};

/** One or several settings cannot be used. The message names every one of them. */
export class BadConfiguration extends Error {
  constructor(faults: readonly string[]) {
    super(`the configuration cannot be used:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'BadConfiguration';
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'];

/**
 * @param use `command`: what only a node needs is not demanded
 * @throws BadConfiguration naming every bad setting
 */
export function readConfig(environment: Environment, use: 'serve' | 'command' = 'serve'): Config {
  const faults: string[] = [];
  const text = (name: string): string | null => emptyAsNull(environment[name]);
  const whole = (name: string, fallback: number, from: number, to: number): number => {
    const value = text(name);
    if (value === null) return fallback;
    const number = Number(value);
    if (Number.isInteger(number) && number >= from && number <= to) return number;
    faults.push(`${name} must be a whole number from ${from} to ${to}; it is "${value}"`);
    return fallback;
  };
  const onOff = (name: string, fallback: boolean): boolean => {
    const value = text(name);
    if (value === null || value === 'on' || value === 'off') return value === null ? fallback : value === 'on';
    faults.push(`${name} must be on or off; it is "${value}"`);
    return fallback;
  };
  const token = (name: string): string | null => {
    const value = text(name);
    if (value !== null && !/^\S{16,}$/.test(value))
      faults.push(`${name} must be at least 16 characters without spaces`);
    return value;
  };
  const production = text('NODE_ENV') === 'production';
  const testClock = text('WAYMARK_TEST_CLOCK');
  if (testClock !== null && production) faults.push('WAYMARK_TEST_CLOCK is refused in production');
  const trustedProxies = proxiesOf(text('TRUSTED_PROXIES'), faults);
  const tls = tlsOf(text('TLS_CERT'), text('TLS_KEY'), faults);
  if (production && trustedProxies.length === 0 && tls === null) {
    faults.push(
      'TLS_CERT and TLS_KEY, or TRUSTED_PROXIES with the proxies that end TLS in front, must be set: in production plain HTTP is refused',
    );
  }
  const logLevel = text('LOG_LEVEL') ?? 'info';
  if (!LOG_LEVELS.includes(logLevel))
    faults.push(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}; it is "${logLevel}"`);
  const responseMs = whole('RESPONSE_DEADLINE_MS', 10_000, 100, 120_000);
  const claimMs = whole('CLAIM_DEADLINE_MS', 60_000, 200, 3_600_000);
  if (claimMs < responseMs * 2)
    faults.push(`CLAIM_DEADLINE_MS (${claimMs}) must be at least twice RESPONSE_DEADLINE_MS (${responseMs})`);
  const catalogue = text('CATALOGUE_DIR');
  const openMeteoUrl = text('OPEN_METEO_URL') ?? 'https://api.open-meteo.com';
  const exchangeRates = text('EXCHANGE_RATES_FILE');
  const flashDealsFile = text('FLASH_DEALS_FILE');
  const config: Config = {
    port: whole('PORT', 3000, 0, 65_535),
    host: text('HOST') ?? '127.0.0.1',
    dataDirectory: resolve(text('DATA_DIR') ?? './data'),
    eventStore: eventStoreOf(text('EVENTSTORE_URL'), faults),
    mongodb: mongodbOf(text('MONGODB_URL'), faults),
    roles: rolesOf(text('WAYMARK_ROLES'), faults),
    leaseMs: whole('LEASE_TTL_MS', 10_000, 1_000, 300_000),
    catalogueDirectory: catalogue === null ? null : resolve(catalogue),
    exchangeRatesFile: exchangeRates === null ? null : resolve(exchangeRates),
    supplyRefreshMs: whole('SUPPLY_REFRESH_MINUTES', 15, 1, 1_440) * 60_000,
    flashDeals: onOff('FLASH_DEALS', true),
    flashDealsFile: flashDealsFile === null ? null : resolve(flashDealsFile),
    production,
    adminToken: token('WAYMARK_ADMIN_TOKEN'),
    analystToken: token('WAYMARK_ANALYST_TOKEN'),
    secretKey: secretKeyOf(text('WAYMARK_SECRET_KEY'), faults),
    publicUrl: urlOf('PUBLIC_URL', text('PUBLIC_URL'), faults),
    serviceUrl: urlOf('WAYMARK_URL', text('WAYMARK_URL'), faults),
    apiKey: apiKeyOf(text('WAYMARK_API_KEY'), faults),
    trustedProxies,
    tls,
    wrongTokensPerMinute: whole('WRONG_TOKENS_PER_MINUTE', 10, 1, 1_000),
    testClock,
    logLevel,
    daysAhead: whole('BOOKING_DAYS_AHEAD', 365, 1, 3_650),
    responseMs,
    claimMs,
    holdMs: whole('HOLD_MINUTES', 10, 1, 1_440) * 60_000,
    onRequestMs: whole('ON_REQUEST_HOURS', 24, 1, 720) * 3_600_000,
    reaperMs: whole('REAPER_INTERVAL_MS', 1_000, 50, 60_000),
    stopDelayMs: whole('STOP_DELAY_MS', 0, 0, 60_000),
    webhookTimeoutMs: whole('WEBHOOK_TIMEOUT_MS', 30_000, 100, 120_000),
    webhookLogDays: whole('WEBHOOK_LOG_DAYS', 90, 1, 3_650),
    webhookSuspendDays: whole('WEBHOOK_SUSPEND_DAYS', 5, 1, 365),
    projectionVersionDays: whole('PROJECTION_VERSION_DAYS', 7, 1, 3_650),
    projectorThread: onOff('PROJECTOR_THREAD', true),
    mail: mailOf({ text, whole, onOff }, faults),
    openMeteoUrl: openMeteoUrl === 'off' ? null : urlOf('OPEN_METEO_URL', openMeteoUrl, faults),
    weatherDeadlineMs: whole('WEATHER_DEADLINE_MS', 2_000, 50, 10_000),
    guestLimits: {
      maxAdults: whole('MAX_ADULTS', 20, 1, 100),
      maxChildren: whole('MAX_CHILDREN', 20, 0, 100),
      maxGuests: whole('MAX_GUESTS', 30, 1, 200),
    },
  };
  if (use === 'serve') faults.push(...faultsOfNode(text));
  if (faults.length > 0) throw new BadConfiguration(faults);
  return config;
}

/** What nodes that share the engines must share beside them, and what a node with some of the roles needs (docs/decisions/0028). */
function faultsOfNode(text: (name: string) => string | null): string[] {
  const faults: string[] = [];
  const missing = (name: string): boolean => text(name) === null;
  const [events, documents] = [!missing('EVENTSTORE_URL'), !missing('MONGODB_URL')];
  if (events !== documents)
    faults.push(
      'EVENTSTORE_URL and MONGODB_URL must both be set, or neither: read models go with the log they were made from',
    );
  if (events)
    for (const name of ['WAYMARK_SECRET_KEY', 'WAYMARK_ADMIN_TOKEN', 'WAYMARK_ANALYST_TOKEN'])
      if (missing(name)) faults.push(`${name} must be set with EVENTSTORE_URL: every node must have the same one`);
  const roles = rolesOf(text('WAYMARK_ROLES'), []);
  if (roles.size === ROLES.length) return faults;
  if (!events)
    faults.push('WAYMARK_ROLES must name all roles where EVENTSTORE_URL is not set: one process does everything');
  if (missing('PUBLIC_URL') && (roles.has('api') || roles.has('deliverer')))
    faults.push(
      'PUBLIC_URL must be set where roles are split: vouchers name the address of the service, not of a node',
    );
  if (missing('SMTP_URL') && roles.has('deliverer'))
    faults.push('SMTP_URL must be set where roles are split: an outbox of one node is not found by the others');
  return faults;
}

function rolesOf(text: string | null, faults: string[]): ReadonlySet<Role> {
  if (text === null) return new Set(ROLES);
  const named = text.split(',').map((name) => name.trim());
  const roles = ROLES.filter((role) => named.includes(role));
  const unknown = named.filter((name) => !ROLES.some((role) => role === name));
  if (unknown.length > 0) faults.push(`WAYMARK_ROLES must be a list of ${ROLES.join(', ')}; it is "${text}"`);
  return new Set(roles);
}

function proxiesOf(text: string | null, faults: string[]): readonly string[] {
  const named = text === null ? [] : text.split(',').map((range) => range.trim());
  const bad = named.filter((range) => !isAddressRange(range));
  if (bad.length > 0)
    faults.push(
      `TRUSTED_PROXIES must be a list of IP addresses and CIDR ranges (10.0.0.0/8, 2001:db8::/32); these are none: "${bad.join('", "')}"`,
    );
  return named;
}

/** Both or neither. That they are a certificate and its key is found out where they are read, at the start. */
function tlsOf(cert: string | null, key: string | null, faults: string[]): TlsFiles | null {
  if (cert === null && key === null) return null;
  if (cert !== null && key !== null) return { cert: resolve(cert), key: resolve(key) };
  faults.push(`${cert === null ? 'TLS_CERT' : 'TLS_KEY'} must be set too: TLS needs a certificate and its key`);
  return null;
}

/** The value is not repeated: it may hold a password. */
function eventStoreOf(text: string | null, faults: string[]): EventStoreServer | null {
  if (text === null) return null;
  const read = readEventStoreUrl(text);
  if (read.kind === 'server') return read.server;
  faults.push(`EVENTSTORE_URL ${read.rule}`);
  return null;
}

/** The value is not repeated: it may hold a password. */
function mongodbOf(text: string | null, faults: string[]): MongoAddress | null {
  if (text === null) return null;
  const read = readMongoUrl(text);
  if (read.kind === 'address') return read.address;
  faults.push(`MONGODB_URL ${read.rule}`);
  return null;
}

function emptyAsNull(text: string | undefined): string | null {
  const trimmed = text?.trim() ?? '';
  return trimmed === '' ? null : trimmed;
}

function secretKeyOf(text: string | null, faults: string[]): Uint8Array | null {
  if (text === null) return null;
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  faults.push('WAYMARK_SECRET_KEY must be 64 hexadecimal characters (32 bytes)');
  return null;
}

function apiKeyOf(text: string | null, faults: string[]): string | null {
  if (text !== null && !/^[0-9a-f]{64}$/.test(text))
    faults.push('WAYMARK_API_KEY must be an API key: 64 hexadecimal characters, in lower case');
  return text;
}

function urlOf(name: string, text: string | null, faults: string[]): string | null {
  if (text === null) return null;
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '')
    return text.replace(/\/+$/, '');
  faults.push(`${name} must be an http:// or https:// URL without query; it is "${text}"`);
  return null;
}

const MAIL_FROM = 'Waymark <vouchers@waymark.localhost>';

type Reader = {
  readonly text: (name: string) => string | null;
  readonly whole: (name: string, fallback: number, from: number, to: number) => number;
  readonly onOff: (name: string, fallback: boolean) => boolean;
};

/** The values of SMTP_URL and of what surrounds a mailbox are not repeated: they may hold a password. */
function mailOf({ text, whole, onOff }: Reader, faults: string[]): MailConfig {
  const [url, caFile, sender] = [text('SMTP_URL'), text('SMTP_CA'), text('MAIL_FROM')];
  const read = url === null ? null : readSmtpUrl(url);
  if (read?.kind === 'fault') faults.push(`SMTP_URL ${read.rule}`);
  const server = read?.kind === 'server' ? read.server : null;
  const from = mailboxOf(sender ?? MAIL_FROM);
  if (from === null) faults.push('MAIL_FROM must be one mailbox: "Name <address@domain>" or "address@domain"');
  if (server?.verified && sender === null)
    faults.push('MAIL_FROM must say who the mails come from: other mail servers take none from waymark.localhost');
  return {
    server,
    ca: caFile === null ? null : certificatesOf(caFile, faults),
    from: from ?? { name: '', address: '' },
    waitMs: whole('MAIL_WAIT_MS', 5_000, 0, 30_000),
    connections: whole('MAIL_CONNECTIONS', 8, 1, 64),
    thread: onOff('MAIL_THREAD', true),
  };
}

/** `Name <address@domain>`, `"Name" <address@domain>` or `address@domain`; null where it is not one of these. */
function mailboxOf(text: string): MailAddress | null {
  const named = /^(?:"([^"<>\\]*)"|([^"<>\\,;:@]*))\s*<([^<>]+)>$/.exec(text);
  const address = named?.[3] ?? text;
  const name = (named?.[1] ?? named?.[2] ?? '').trim();
  const usable = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(address);
  return usable && !/\p{Control}/u.test(name) ? { name, address } : null;
}

function certificatesOf(path: string, faults: string[]): string | null {
  const pem = readOrNull(path);
  if (pem?.includes('-----BEGIN CERTIFICATE-----')) return pem;
  faults.push(`SMTP_CA must be a readable file of PEM certificates; it is "${path}"`);
  return null;
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
