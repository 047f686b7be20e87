import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readQrCode } from '../../../../src/cli/journey/qr-code.ts';
import { modulesPng } from '../../../../src/vouchers/png.ts';
import { qrPng } from '../../../../src/vouchers/qr.ts';

describe('readQrCode', () => {
  test('returns the text of any QR code that the service draws', () => {
    const letters = fc.constantFrom(...Array.from('0123456789ABCXYZ $%*+-./:'));
    const texts = fc.oneof(
      fc.string({ unit: letters, minLength: 1, maxLength: 300 }),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 }),
      fc.bigInt({ min: 0n, max: 10n ** 60n }).map(String),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(readQrCode(qrPng(text))).toBe(text);
      }),
      { numRuns: 40 },
    );
  });

  test('returns null where there is no PNG or no QR code in it', () => {
    expect(readQrCode(new TextEncoder().encode('<svg/>'))).toBeNull();
    expect(readQrCode(modulesPng(40, 1, () => false))).toBeNull();
    expect(readQrCode(modulesPng(40, 1, (row, column) => (row + column) % 2 === 0))).toBeNull();
  });
});
