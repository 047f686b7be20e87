import { describe, expect, test } from 'bun:test';
import { BadConfiguration, readConfig } from '../../../src/config.ts';

const TLS = { TLS_CERT: '/etc/waymark/tls.crt', TLS_KEY: '/etc/waymark/tls.key' };

/** What is said of settings that cannot be used. */
function faultsOf(settings: Readonly<Record<string, string>>): readonly string[] {
  try {
    readConfig(settings);
    return [];
  } catch (fault) {
    if (!(fault instanceof BadConfiguration)) throw fault;
    const [, ...lines] = fault.message.split('\n');
    return lines.map((line) => line.trim());
  }
}

describe('TRUSTED_PROXIES', () => {
  test('is a list of addresses and ranges; empty by default', () => {
    expect(readConfig({}).trustedProxies).toEqual([]);
    const { trustedProxies } = readConfig({ TRUSTED_PROXIES: ' 10.0.0.0/8 ,192.0.2.7, fd00::/8' });
    expect(trustedProxies).toEqual(['10.0.0.0/8', '192.0.2.7', 'fd00::/8']);
  });

  test('is refused, with the name of the part, if a part is neither', () => {
    expect(faultsOf({ TRUSTED_PROXIES: '10.0.0.0/8,proxy.internal,10.0.0.0/40' })).toEqual([
      'TRUSTED_PROXIES must be a list of IP addresses and CIDR ranges (10.0.0.0/8, 2001:db8::/32); these are invalid: "proxy.internal", "10.0.0.0/40"',
    ]);
  });
});

describe('in production', () => {
  const PRODUCTION = { NODE_ENV: 'production', ...TLS };
  const [ONE, TWO, THREE] = [
    '9f1c2a7be4d05836b1e7c94f20a8d36c5b7e1f0492ad8c63e5179b0fd2468ace',
    'c81e5a3f7092b6d4e8135fa97c2d0b461e9d74f3a5820c6b1f37e94d8a05b2c6',
    '3ad76f109be2c845f71d0a93e6584bc2d90f1e7b2c468a35f0d9b7e14c82a563',
  ];

  test.each(['0.0.0.0/0', '::/0', '::ffff:0:0/96', '0.0.0.0/1,128.0.0.0/1', '192.0.0.0/7', '2000::/3'])(
    'TRUSTED_PROXIES must not hold everybody: %s',
    (ranges) => {
      const shown = ranges.replace(',', '", "');
      expect(faultsOf({ ...PRODUCTION, TRUSTED_PROXIES: ranges })).toEqual([
        `TRUSTED_PROXIES must name the proxies in front, not all addresses: "${shown}" is wider than 10.0.0.0/8 or fc00::/7`,
      ]);
      expect(faultsOf({ TRUSTED_PROXIES: ranges })).toEqual([]);
    },
  );

  const WEAK: readonly (readonly [token: string, why: string])[] = [
    ['0'.repeat(64), 'must not be all zeros'],
    ['correct-horse-1234', 'must have at least 32 characters; it has 18'],
    ['a'.repeat(40), 'must be random; it repeats itself'],
    ['changeme'.repeat(8), 'must be random; it repeats itself'],
    ['0123456789abcdef'.repeat(4), 'must be random; it repeats itself'],
    ['abcdefghijklmnopqrstuvwxyz0123456789', 'must be random; it repeats itself'],
  ];
  test.each(WEAK)('a secret that can be guessed stops the start, and is not shown: %s', (token, why) => {
    expect(faultsOf({ ...PRODUCTION, WAYMARK_ADMIN_TOKEN: token })).toEqual([
      `WAYMARK_ADMIN_TOKEN ${why}; in production take 64 random hexadecimal characters`,
    ]);
    expect(faultsOf({ ...TLS, WAYMARK_ADMIN_TOKEN: token })).toEqual([]);
  });

  test('secrets must differ', () => {
    const secrets = { WAYMARK_SECRET_KEY: ONE.toUpperCase(), WAYMARK_ADMIN_TOKEN: ONE, WAYMARK_ANALYST_TOKEN: ONE };
    expect(faultsOf({ ...PRODUCTION, ...secrets })).toEqual([
      'WAYMARK_ADMIN_TOKEN must differ from WAYMARK_SECRET_KEY',
      'WAYMARK_ANALYST_TOKEN must differ from WAYMARK_SECRET_KEY',
    ]);
    const different = { WAYMARK_SECRET_KEY: ONE, WAYMARK_ADMIN_TOKEN: TWO, WAYMARK_ANALYST_TOKEN: THREE };
    expect(faultsOf({ ...PRODUCTION, ...different })).toEqual([]);
  });

  test('one message names every bad setting', () => {
    const zero = '0'.repeat(64);
    const all = { WAYMARK_SECRET_KEY: zero, WAYMARK_ADMIN_TOKEN: zero, WAYMARK_ANALYST_TOKEN: 'short-but-16-long' };
    expect(faultsOf({ NODE_ENV: 'production', PORT: 'x', TRUSTED_PROXIES: '::/0', ...all })).toEqual([
      'PORT must be a whole number from 0 to 65535; it is "x"',
      'TRUSTED_PROXIES must name the proxies in front, not all addresses: "::/0" is wider than 10.0.0.0/8 or fc00::/7',
      'WAYMARK_SECRET_KEY must not be all zeros; in production take 64 random hexadecimal characters',
      'WAYMARK_ADMIN_TOKEN must not be all zeros; in production take 64 random hexadecimal characters',
      'WAYMARK_ANALYST_TOKEN must have at least 32 characters; it has 17; in production take 64 random hexadecimal characters',
      'WAYMARK_ADMIN_TOKEN must differ from WAYMARK_SECRET_KEY',
    ]);
  });

  test('random tokens of 32 hexadecimal characters are strong', () => {
    for (let n = 0; n < 1_000; n++) {
      const token = new Bun.CryptoHasher('md5').update(`seed ${n}`).digest('hex');
      expect(faultsOf({ ...PRODUCTION, WAYMARK_ADMIN_TOKEN: token })).toEqual([]);
    }
  });
});

describe('CORS_ORIGINS', () => {
  test('is a list of origins; empty by default', () => {
    expect(readConfig({}).corsOrigins).toEqual([]);
    const { corsOrigins } = readConfig({ CORS_ORIGINS: 'https://app.example, http://localhost:5173' });
    expect(corsOrigins).toEqual(['https://app.example', 'http://localhost:5173']);
  });

  test.each([
    '*',
    'null',
    'app.example',
    'https://app.example/',
    'https://*.example',
    'https://App.example',
    'https://app.example:443',
    'ftp://app.example',
  ])('is refused if a part is no origin as browsers send it: %s', (origin) => {
    expect(faultsOf({ CORS_ORIGINS: `https://app.example,${origin}` })).toEqual([
      `CORS_ORIGINS must be a list of origins (https://app.example, http://localhost:5173), without path or *; these are invalid: "${origin}"`,
    ]);
  });
});

describe('TLS', () => {
  test('needs both files', () => {
    expect(readConfig({}).tls).toBeNull();
    expect(readConfig(TLS).tls).toEqual({ cert: TLS.TLS_CERT, key: TLS.TLS_KEY });
    const needed = 'must be set too: TLS needs a certificate and its key';
    expect(faultsOf({ TLS_CERT: TLS.TLS_CERT })).toEqual([`TLS_KEY ${needed}`]);
    expect(faultsOf({ TLS_KEY: TLS.TLS_KEY })).toEqual([`TLS_CERT ${needed}`]);
  });

  test('is required in production, in the service or in a proxy', () => {
    expect(faultsOf({ NODE_ENV: 'production' })).toEqual([
      'TLS_CERT and TLS_KEY, or TRUSTED_PROXIES with the proxies that end TLS in front, must be set: in production plain HTTP is refused',
    ]);
    expect(faultsOf({ NODE_ENV: 'production', ...TLS })).toEqual([]);
    expect(faultsOf({ NODE_ENV: 'production', TRUSTED_PROXIES: '10.0.0.0/8' })).toEqual([]);
  });
});
