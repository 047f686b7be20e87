import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { decodeBase32, encodeBase32 } from '../../../src/domain/base32.ts';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The definition, slowly: all bits in a row, cut into fives. */
function byDefinition(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const digits = bits.match(/.{1,5}/g) ?? [];
  return digits.map((digit) => ALPHABET[Number.parseInt(digit.padEnd(5, '0'), 2)]).join('');
}

describe('encodeBase32', () => {
  test.each([
    ['', ''],
    ['f', 'CR'],
    ['fo', 'CSQG'],
    ['foo', 'CSQPY'],
    ['foob', 'CSQPYRG'],
    ['fooba', 'CSQPYRK1'],
    ['foobar', 'CSQPYRK1E8'],
  ])('the test vector of RFC 4648 in this alphabet: %p is %p', (plain, text) => {
    expect(encodeBase32(ascii(plain))).toBe(text);
  });

  test('follows the definition for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        expect(encodeBase32(bytes)).toBe(byDefinition(bytes));
      }),
    );
  });

  test('sizes: 12 bytes are 20 characters, 16 are 26, 64 are 103', () => {
    const lengths = [12, 16, 64].map((size) => encodeBase32(new Uint8Array(size).fill(255)).length);
    expect(lengths).toEqual([20, 26, 103]);
  });
});

describe('decodeBase32', () => {
  test('gives back what was encoded', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        expect(decodeBase32(encodeBase32(bytes))).toEqual(bytes);
      }),
    );
  });

  test('accepts no second text for the same bytes', () => {
    const digits = fc.string({ unit: fc.constantFrom(...ALPHABET.split('')), maxLength: 40 });
    fc.assert(
      fc.property(digits, (text) => {
        const bytes = decodeBase32(text);
        if (bytes !== null) expect(encodeBase32(bytes)).toBe(text);
      }),
    );
  });

  test.each([
    ['lower case', 'csqg'],
    ['a letter that looks like a digit', 'CSQO'],
    ['U', 'CSQU'],
    ['a space', 'CS QG'],
    ['a dash', 'CSQG-'],
    ['beyond ASCII', 'CSQ\u0130'],
    ['a character whose low byte is a digit of the alphabet', 'CSQ\u0147'],
    ['spare bits that are not zero', 'CSQH'],
    ['spare bits that are not zero, after one byte', 'CZ'],
    ['a length that no bytes have: 1', '0'],
    ['a length that no bytes have: 3', '000'],
    ['a length that no bytes have: 6', '000000'],
  ])('refuses %s: %p', (_, text) => {
    expect(decodeBase32(text)).toBeNull();
  });
});
