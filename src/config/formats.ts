import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type EventStoreServer, readEventStoreUrl } from '../adapters/eventstoredb/server-url.ts';
import { isStreamPrefix } from '../adapters/eventstoredb/stream-names.ts';
import { type MongoAddress, readMongoUrl } from '../adapters/mongodb/address.ts';
import { readSmtpUrl, type SmtpServer } from '../adapters/smtp/server.ts';
import { isAddressRange } from '../application/key/address-ranges.ts';
import { STREAM_CATEGORIES } from '../domain/codecs.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../eventsourcing/durations.ts';
import type { MailAddress } from '../ports/mailer.ts';
import type { Format, Parsed } from './setting.ts';

/** `api` answers requests, `projector` keeps the read models, `deliverer` sends mails and webhooks and reaps claims. */
export type Role = (typeof ALL_ROLES)[number];

export const ALL_ROLES = ['api', 'projector', 'deliverer'] as const;

export function integer(from: number, to: number, unit = ''): Format<number> {
  return scaled(from, to, unit, 1);
}

/** The values of these three are milliseconds, whatever the unit of the text. */
export const milliseconds = (from: number, to: number): Format<number> => scaled(from, to, 'milliseconds', 1);
export const minutes = (from: number, to: number): Format<number> => scaled(from, to, 'minutes', MINUTE_MS);
export const hours = (from: number, to: number): Format<number> => scaled(from, to, 'hours', HOUR_MS);

/** The value is in milliseconds; null: off. */
export function daysOrOff(from: number, to: number): Format<number | null> {
  const days = scaled(from, to, 'days', DAY_MS);
  return {
    accepts: `${days.accepts}, or \`off\``,
    secret: false,
    parse(text) {
      if (text === 'off') return { value: null };
      const parsed = days.parse(text);
      if ('value' in parsed) return parsed;
      return { fault: `must be a whole number of days from ${from} to ${to}, or off; it is "${text}"` };
    },
  };
}

export const ON_OFF: Format<boolean> = {
  accepts: '`on` or `off`',
  secret: false,
  parse: (text) =>
    text === 'on' || text === 'off' ? { value: text === 'on' } : { fault: `must be on or off; it is "${text}"` },
};

export function oneOf(...values: readonly string[]): Format<string> {
  return {
    accepts: values.map((value) => `\`${value}\``).join(', '),
    secret: false,
    parse: (text) =>
      values.includes(text) ? { value: text } : { fault: `must be one of ${values.join(', ')}; it is "${text}"` },
  };
}

export function anyText(accepts: string): Format<string> {
  return { accepts, secret: false, parse: (value) => ({ value }) };
}

/** An absolute path, resolved from the working directory. */
export function path(accepts: string): Format<string> {
  return { accepts, secret: false, parse: (text) => ({ value: resolve(text) }) };
}

/** The content of the file. */
export const CERTIFICATES: Format<string> = {
  accepts: 'file of PEM certificates',
  secret: false,
  parse(file) {
    const pem = readOrNull(file);
    if (pem?.includes('-----BEGIN CERTIFICATE-----')) return { value: pem };
    return { fault: `must be a readable file of PEM certificates; it is "${file}"` };
  },
};

export const IS_PRODUCTION: Format<boolean> = {
  accepts: '`production`; anything else is development',
  secret: false,
  parse: (text) => ({ value: text === 'production' }),
};

export const ROLES: Format<ReadonlySet<Role>> = {
  accepts: `list of ${ALL_ROLES.map((role) => `\`${role}\``).join(', ')}, separated by commas`,
  secret: false,
  parse(text) {
    const named = listOf(text);
    if (named.some((name) => !ALL_ROLES.some((role) => role === name)))
      return { fault: `must be a list of ${ALL_ROLES.join(', ')}; it is "${text}"` };
    return { value: new Set(ALL_ROLES.filter((role) => named.includes(role))) };
  },
};

export const ADDRESS_RANGES: Format<readonly string[]> = {
  accepts: 'IP addresses and CIDR ranges, separated by commas',
  secret: false,
  parse(text) {
    const ranges = text === '' ? [] : listOf(text);
    const bad = ranges.filter((range) => !isAddressRange(range));
    if (bad.length === 0) return { value: ranges };
    const rule = 'must be a list of IP addresses and CIDR ranges (10.0.0.0/8, 2001:db8::/32)';
    return { fault: `${rule}; these are invalid: "${bad.join('", "')}"` };
  },
};

/** As browsers send them in `Origin`: in lower case, without path and default port. */
export const ORIGINS: Format<readonly string[]> = {
  accepts: 'origins like `https://app.example`, separated by commas',
  secret: false,
  parse(text) {
    const origins = text === '' ? [] : listOf(text);
    const bad = origins.filter((origin) => !/^https?:[^*]+$/.test(origin) || URL.parse(origin)?.origin !== origin);
    if (bad.length === 0) return { value: origins };
    const rule = 'must be a list of origins (https://app.example, http://localhost:5173), without path or *';
    return { fault: `${rule}; these are invalid: "${bad.join('", "')}"` };
  },
};

/** Without a slash at the end. A fault does not show the URL, which can contain a password or an API key. */
export const HTTP_URL: Format<string> = {
  accepts: '`http://` or `https://` URL without query',
  secret: false,
  parse(text) {
    const url = URL.parse(text);
    return url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === ''
      ? { value: text.replace(/\/+$/, '') }
      : { fault: 'must be an http:// or https:// URL without query' };
  },
};

export const HTTP_URL_OR_OFF: Format<string | null> = {
  accepts: `${HTTP_URL.accepts}, or \`off\``,
  secret: false,
  parse: (text) => (text === 'off' ? { value: null } : HTTP_URL.parse(text)),
};

export const EVENTSTORE_URL: Format<EventStoreServer> = {
  accepts:
    '`esdb://[user:password@]host[:port][,…]` or `esdb+discover://…`, with at most `?tls=false` or `?tlsCAFile=…`',
  secret: true,
  parse(text) {
    const read = readEventStoreUrl(text);
    return read.kind === 'server' ? { value: read.server } : { fault: read.rule };
  },
};

/** A prefix that contains `{category}-` would make a stream look like one of another installation. */
export const STREAM_PREFIX: Format<string> = {
  accepts: '1 to 64 letters, digits, `.`, `_` and `-`',
  secret: false,
  parse(text) {
    if (text !== '' && !isStreamPrefix(text))
      return { fault: `must be 1 to 64 letters, digits, ".", "_" or "-"; it is "${text}"` };
    const category = STREAM_CATEGORIES.find((name) => text.includes(`${name}-`));
    if (category === undefined) return { value: text };
    return { fault: `must not contain "${category}-", with which the names of streams begin; it is "${text}"` };
  },
};

export const MONGODB_URL: Format<MongoAddress> = {
  accepts: '`mongodb://[user:password@]host[:port][,…][/database]` or `mongodb+srv://…`; default database: `waymark`',
  secret: true,
  parse(text) {
    const read = readMongoUrl(text);
    return read.kind === 'address' ? { value: read.address } : { fault: read.rule };
  },
};

export const SMTP_URL: Format<SmtpServer> = {
  accepts: '`smtp://[user:password@]host[:port]` or `smtps://…`, with at most `?tls=required` or `?tls=offered`',
  secret: true,
  parse(text) {
    const read = readSmtpUrl(text);
    return read.kind === 'server' ? { value: read.server } : { fault: read.rule };
  },
};

/** A fault does not show the mailbox: a pasted URL with a password would be shown too. */
export const MAILBOX: Format<MailAddress> = {
  accepts: '`Name <address@domain>` or `address@domain`',
  secret: false,
  parse(text) {
    const named = /^(?:"([^"<>\\]*)"|([^"<>\\,;:@]*))\s*<([^<>]+)>$/.exec(text);
    const address = named?.[3] ?? text;
    const name = (named?.[1] ?? named?.[2] ?? '').trim();
    const usable = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(address);
    if (usable && !/\p{Control}/u.test(name)) return { value: { name, address } };
    return { fault: 'must be one mailbox: "Name <address@domain>" or "address@domain"' };
  },
};

/** A mail address, or a URL of a page. */
export const CONTACT: Format<string> = {
  accepts: 'a mail address, or a URL with `https://` or `http://`',
  secret: false,
  parse(text) {
    const isUrl = /^https?:\/\/[^\s<>"]{1,500}$/i.test(text) && URL.canParse(text);
    const isAddress = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(text);
    if (isUrl || isAddress) return { value: text };
    return { fault: `must be a mail address, or a URL with https:// or http://; it is "${text}"` };
  },
};

export const TOKEN = secretText(/^\S{16,}$/, 'at least 16 characters without spaces', (text) => text);
export const API_KEY = secretText(
  /^[0-9a-f]{64}$/,
  'an API key: 64 hexadecimal characters, in lower case',
  (text) => text,
);
export const SECRET_KEY: Format<Uint8Array> = secretText(
  /^[0-9a-f]{64}$/i,
  '64 hexadecimal characters (32 bytes)',
  (text) => Buffer.from(text, 'hex'),
);

function secretText<Value>(pattern: RegExp, accepts: string, read: (text: string) => Value): Format<Value> {
  return {
    accepts,
    secret: true,
    parse: (text): Parsed<Value> => (pattern.test(text) ? { value: read(text) } : { fault: `must be ${accepts}` }),
  };
}

function scaled(from: number, to: number, unit: string, factor: number): Format<number> {
  const bounds = `from ${from} to ${to}`;
  return {
    accepts: `${bounds.replace('from ', '')}${unit === '' ? '' : ` ${unit}`}`,
    secret: false,
    parse(text) {
      const number = Number(text);
      if (Number.isInteger(number) && number >= from && number <= to) return { value: number * factor };
      return { fault: `must be a whole number ${bounds}; it is "${text}"` };
    },
  };
}

function listOf(text: string): string[] {
  return text.split(',').map((element) => element.trim());
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
