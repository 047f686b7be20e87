import type { Random } from '../chaos/kill/random.ts';
import type { FuzzedOperation, Scheme } from './operations.ts';

/** The operator token is an admin's; `analyst` may call less. */
export type Credentials = Readonly<Record<Scheme | 'analyst', string>>;
type HeaderLine = readonly [name: string, value: string];

/** Length of a long header. */
const LONG = 3_000;

/** The caller's credentials, mostly valid, and some headers that a server, proxy or framework may interpret. */
export function headersOf(
  operation: FuzzedOperation,
  host: string,
  credentials: Credentials,
  random: Random,
): HeaderLine[] {
  const lines: HeaderLine[] = [['Host', random.percent(98) ? host : random.pick(HOSTS)]];
  lines.push(...callerOf(operation, credentials, random));
  for (const { name } of operation.parameters.filter((each) => each.in === 'header'))
    if (random.percent(name.toLowerCase() === 'x-position' ? 3 : 30)) lines.push([name, valueOf(name, random)]);
  while (random.percent(25)) {
    const name = random.pick(NAMES);
    lines.push([name, valueOf(name, random)]);
  }
  if (operation.id === 'mcp' && random.percent(85)) lines.push(['Accept', 'application/json, text/event-stream']);
  return lines;
}

function callerOf({ schemes }: FuzzedOperation, credentials: Credentials, random: Random): HeaderLine[] {
  const [scheme, ...others] = schemes;
  const kind = random.whole(1, 20);
  if (scheme === undefined) return kind <= 10 ? [] : [lineOf('ApiKey', credentials.ApiKey)];
  const right = lineOf(random.pick([scheme, ...others]), credentials[scheme]);
  if (kind === 1) return [];
  if (kind === 2) return [lineOf(scheme, random.pick(GARBAGE))];
  if (kind === 5 && scheme === 'OperatorToken') return [lineOf(scheme, credentials.analyst)];
  if (kind === 3) return [right, lineOf(scheme, random.pick(GARBAGE))];
  // A credential of another kind.
  if (kind === 4) return [lineOf(scheme, credentials[random.pick(SCHEMES)])];
  return [right];
}

function lineOf(scheme: Scheme, value: string): HeaderLine {
  if (scheme === 'ApiKey') return ['x-api-key', value];
  if (scheme === 'Session') return ['Cookie', value];
  return scheme === 'DeviceKey' ? ['x-device-key', value] : ['Authorization', `Bearer ${value}`];
}

function valueOf(name: string, random: Random): string {
  const own = VALUES[name.toLowerCase()];
  return own === undefined || random.percent(15) ? random.pick(GARBAGE) : random.pick(own);
}

const SCHEMES = ['ApiKey', 'DeviceKey', 'OperatorToken', 'Session'] as const;
const HOSTS = [
  'a',
  'api',
  'localhost',
  'elsewhere.example',
  '',
  '[::1',
  'a b',
  '\xff',
  'a:99999',
  'a/b?c#d',
  '0',
  'a@b',
] as const;
const GARBAGE = [
  '',
  ' ',
  '0',
  'Basic YTpi',
  'Bearer',
  'Bearer  ',
  '\xff\xfe',
  '\xc3\xa9',
  '\t',
  '"',
  '*',
  ',,,',
  '0'.repeat(64),
  'f'.repeat(64).toUpperCase(),
  'a'.repeat(LONG),
  'a,'.repeat(LONG / 2),
  '1e999',
  '-1',
  '__proto__',
] as const;

type Some = readonly [string, ...string[]];

/** By the header's name in lower case. */
const VALUES: Readonly<Record<string, Some>> = {
  'idempotency-key': ['once', 'a'.repeat(255), 'a'.repeat(256), '', ' ', '\xe9', 'bk_0', '../..', '__proto__', "'"],
  'if-match': ['*', '"1"', '"0"', 'W/"1"', '1', '""', '"999999999999"', '"1", "2"', `"${'1'.repeat(900)}"`],
  'if-none-match': ['*', 'W/"x"', '"', `"${'x'.repeat(LONG)}"`],
  'x-position': ['0', '1', '00000000000000000000', '-', '/', '1/1', '9'.repeat(64), '9'.repeat(65), '1e3', '\xff'],
  'accept-language': [
    'th',
    'xx',
    '*',
    'th;q=0, vi;q=0.5',
    'zh-Hant-TW',
    'en;q=NaN',
    ',;q=,',
    'ja;q=1e999',
    'q=1,'.repeat(500),
  ],
  'accept-encoding': ['gzip', 'gzip;q=0', 'br', '*', 'identity;q=0', 'gzip;q=NaN', ',gzip'],
  accept: ['*/*', 'text/html', 'application/json', 'application/json;q=0', 'text/event-stream'],
  'content-encoding': ['gzip', 'br', 'identity', 'gzip, gzip'],
  'x-forwarded-for': ['127.0.0.1', '::1', '10.0.0.1, 8.8.8.8', 'unknown', '999.1.1.1', '1.1.1.1,'.repeat(300)],
  'x-forwarded-proto': ['http', 'https', 'javascript'],
  'x-forwarded-host': ['elsewhere.example', 'a b'],
  forwarded: ['for=127.0.0.1;proto=https', 'for="[::1]"', 'for='],
  'x-http-method-override': ['DELETE', 'PUT', 'CONNECT'],
  'x-method-override': ['DELETE'],
  'x-original-url': ['/api/keys', '/api/ops/projections'],
  'x-rewrite-url': ['/api/keys'],
  expect: ['100-continue'],
  connection: ['keep-alive', 'close', 'x-api-key'],
  'x-request-id': ['ok', 'a'.repeat(128), 'a'.repeat(129), '\xff', '<script>', '{"a":1}'],
  cookie: ['a=b', 'a', '=;=;', 'a=%zz', `a=${'b'.repeat(LONG)}`, '__proto__=1'],
  origin: ['null', 'http://localhost', 'https://elsewhere.example', 'a b'],
  range: ['bytes=0-1', 'bytes=-1', 'bytes=0-0,-1'],
  traceparent: ['00-0-0-0', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`],
  'mcp-protocol-version': ['2025-06-18', '1999-01-01', ''],
  'mcp-session-id': ['x'],
  'last-event-id': ['x'],
  te: ['trailers'],
};
const NAMES = Object.keys(VALUES).filter((name) => name !== 'x-position') as unknown as Some;
