import { describe, expect, test } from 'bun:test';
import { addressRanges } from '../../../src/application/key/address-ranges.ts';
import { overTls } from '../../../src/http/over-tls.ts';

const from = (address: string | null) => (): string | null => address;
const PLAIN = { tls: null, production: false, peer: from('10.0.0.1'), proxies: addressRanges(['10.0.0.0/8']) };
const asked = (headers: Readonly<Record<string, string>> = {}) => new Request('http://localhost/api', { headers });
const forwarded = (proto: string) => asked({ 'x-forwarded-proto': proto });

describe('a request came over TLS', () => {
  test.each([
    ['if the service ends TLS', { ...PLAIN, tls: {} }, asked(), true],
    ['in production, where others are refused', { ...PLAIN, production: true }, asked(), true],
    ['if a trusted proxy says so', PLAIN, forwarded('https'), true],
    ['if a trusted proxy adds to another one', PLAIN, forwarded('http, HTTPS'), true],
    ['not if a trusted proxy says another', PLAIN, forwarded('http'), false],
    ['not if a trusted proxy does not say it', PLAIN, asked(), false],
    ['not if somebody else says so', { ...PLAIN, peer: from('192.0.2.1') }, forwarded('https'), false],
    ['not if the peer is unknown', { ...PLAIN, peer: from(null) }, forwarded('https'), false],
  ] as const)('%s', (_name, settings, request, expected) => {
    expect(overTls(settings)(request)).toBe(expected);
  });
});
