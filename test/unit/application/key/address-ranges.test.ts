import { describe, expect, test } from 'bun:test';
import { addressRanges, isAddressRange, plainAddress } from '../../../../src/application/key/address-ranges.ts';

describe('an address range', () => {
  test.each([
    '0.0.0.0/0',
    '10.0.0.0/8',
    '203.0.113.7',
    '203.0.113.7/32',
    '::/0',
    '2001:db8::/32',
    '::1',
    '::ffff:10.0.0.0/104',
  ])('may be %s', (text) => {
    expect(isAddressRange(text)).toBe(true);
  });

  test.each([
    '',
    '/8',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '010.0.0.1',
    '10.0.0.0 /8',
    '2001:db8::/129',
    'fe80::1%eth0',
    '::ffff:10.0.0.0/95',
    'localhost',
    '*',
  ])('is not %p', (text) => {
    expect(isAddressRange(text)).toBe(false);
  });

  test.each<[range: string, within: string, without: string]>([
    ['10.0.0.0/8', '10.255.255.255', '11.0.0.0'],
    ['10.1.2.3/8', '10.0.0.0', '9.255.255.255'],
    ['203.0.113.128/25', '203.0.113.128', '203.0.113.127'],
    ['203.0.113.7', '::ffff:203.0.113.7', '203.0.113.6'],
    ['::ffff:10.0.0.0/104', '10.9.9.9', '11.0.0.0'],
    ['2001:db8::/33', '2001:db8:7fff::1', '2001:db8:8000::1'],
    ['::/0', '2001:db8::1', '10.0.0.1'],
    ['0.0.0.0/0', '255.255.255.255', '::1'],
    ['fe80::/10', 'fe80::1%eth0', 'fec0::1'],
  ])('%s holds %s, and not %s', (range, within, without) => {
    const ranges = addressRanges([range]);
    expect([ranges.holds(within), ranges.holds(without)]).toEqual([true, false]);
  });

  test('an empty list matches nothing, and no range matches an invalid address', () => {
    expect([addressRanges([]).holds('10.0.0.1'), addressRanges(['0.0.0.0/0', '::/0']).holds('unknown')]).toEqual([
      false,
      false,
    ]);
  });
});

test('addresses are normalised before they are compared', () => {
  const written = [
    '203.0.113.7',
    '::FFFF:203.0.113.7',
    '0:0:0:0:0:ffff:cb00:7107',
    '2001:DB8:0::0:1',
    'fe80::1%eth0',
    'x',
  ];
  expect(written.map(plainAddress)).toEqual([
    '203.0.113.7',
    '203.0.113.7',
    '203.0.113.7',
    '2001:db8::1',
    'fe80::1',
    null,
  ]);
});
