import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { PNG } from 'pngjs';
import QRCode from 'qrcode';
import { blocksOf, type Level } from '../../../src/journey/qr-blocks.ts';
import { readQrCode } from '../../../src/journey/qr-reader.ts';
import { modulesPng } from '../../../src/vouchers/png.ts';
import { qrPng } from '../../../src/vouchers/qr.ts';

const LEVELS: readonly Level[] = ['L', 'M', 'Q', 'H'];
const VERSIONS = Array.from({ length: 40 }, (_, index) => index + 1);

describe('the QR reader', () => {
  test.each(LEVELS)('reads every version at level %s, as another library draws it', (errorCorrectionLevel) => {
    const misread = VERSIONS.filter((version) => {
      const text = filling(version, errorCorrectionLevel);
      return readQrCode(drawn(text, version, errorCorrectionLevel)) !== text;
    });
    expect(misread).toEqual([]);
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 7] as const)('reads mask %d', (maskPattern) => {
    const { modules } = QRCode.create('WM1.MASK', { maskPattern });
    expect(readQrCode(greyscale(modules.size, (row, column) => modules.get(row, column) === 1, 2))).toBe('WM1.MASK');
  });

  test('reads any text that the service draws', () => {
    const letters = fc.constantFrom(...Array.from('0123456789ABCXYZ $%*+-./:'));
    const texts = fc.oneof(
      fc.string({ unit: letters, minLength: 1, maxLength: 300 }),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 }),
      fc.bigInt({ min: 0n, max: 10n ** 60n }).map(String),
    );
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 5 }), (text, scale) => {
        expect(readQrCode(qrPng(text, scale))).toBe(text);
      }),
      { numRuns: 60 },
    );
  });

  test('finds nothing in what holds no QR code', () => {
    expect(readQrCode(new TextEncoder().encode('<svg/>'))).toBeNull();
    expect(readQrCode(greyscale(40, () => false, 1))).toBeNull();
    expect(readQrCode(greyscale(40, (row, column) => (row + column) % 2 === 0, 1))).toBeNull();
  });

  test('reads another text where a module was turned over', () => {
    const { modules } = QRCode.create('WM1.TURNED', { errorCorrectionLevel: 'L' });
    const corner = modules.size - 1;
    const turned = (row: number, column: number): boolean =>
      (modules.get(row, column) === 1) !== (row === corner - 4 && column === corner);
    expect(readQrCode(greyscale(modules.size, turned, 3))).not.toBe('WM1.TURNED');
  });
});

/** As many characters as a code of this version can take, so that every codeword of every block is read. */
function filling(version: number, level: Level): string {
  const { count, correcting } = blocksOf(version, level);
  const dataBits = (Math.floor(dataModules(version) / 8) - count * correcting) * 8;
  const countBits = version <= 9 ? 9 : version <= 26 ? 11 : 13;
  const length = Math.floor((dataBits - 4 - countBits) / 11) * 2;
  return Array.from({ length }, (_, place) => ((place * 7 + version) % 36).toString(36).toUpperCase()).join('');
}

/** ISO/IEC 18004, table 1: modules that are no pattern, version or format. */
function dataModules(version: number): number {
  const aligned = Math.floor(version / 7) + 2;
  const alignment = version === 1 ? 0 : (25 * aligned - 10) * aligned - 55;
  return (16 * version + 128) * version + 64 - alignment - (version >= 7 ? 36 : 0);
}

function drawn(text: string, version: number, errorCorrectionLevel: Level): Uint8Array {
  const { modules } = QRCode.create([{ data: text, mode: 'alphanumeric' }], { version, errorCorrectionLevel });
  return modulesPng(modules.size + 8, 1, (row, column) => {
    const [y, x] = [row - 4, column - 4];
    return y >= 0 && x >= 0 && y < modules.size && x < modules.size && modules.get(y, x) === 1;
  });
}

/** A PNG of eight bits a pixel with a quiet zone of four modules, written with the filters that the library chooses. */
function greyscale(size: number, isDark: (row: number, column: number) => boolean, scale: number): Uint8Array {
  const width = (size + 8) * scale;
  const png = new PNG({ width, height: width, colorType: 0 });
  for (let row = 0; row < width; row++) {
    for (let column = 0; column < width; column++) {
      const [y, x] = [Math.floor(row / scale) - 4, Math.floor(column / scale) - 4];
      const dark = y >= 0 && x >= 0 && y < size && x < size && isDark(y, x);
      png.data.set(dark ? [0, 0, 0, 255] : [255, 255, 255, 255], (row * width + column) * 4);
    }
  }
  return PNG.sync.write(png, { colorType: 0 });
}
