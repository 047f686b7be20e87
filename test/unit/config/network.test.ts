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
