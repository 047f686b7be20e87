import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import QRCode from 'qrcode';
import { qrPng, qrSvg } from '../../../src/vouchers/qr.ts';
import { signToken } from '../../../src/vouchers/token.ts';
import { anyFacts, someFacts, someKey } from './given.ts';

const QUIET_ZONE = 4;
const token = signToken(someFacts, someKey);

/** Modules as rows of `#` and `.`, for readable diffs. */
type Rows = readonly string[];

function scan(png: Uint8Array): string | undefined {
  const { data, width, height } = PNG.sync.read(Buffer.from(png));
  return jsQR(new Uint8ClampedArray(data), width, height)?.data;
}

function rowsOfPng(png: Uint8Array): Rows {
  const { data, width, height } = PNG.sync.read(Buffer.from(png));
  return rows(width, height, (x, y) => data[(y * width + x) * 4] === 0);
}

/** Draws an SVG's dark path, which consists of closed rectangles. */
function rowsOfSvg(svg: string): Rows {
  const width = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1]);
  const dark = new Set<string>();
  const path = /<path fill="#000" d="([^"]+)"/.exec(svg)?.[1] ?? '';
  const rest = path.replace(/M(\d+) (\d+)h(\d+)v1h-(\d+)z/g, (_, left, top, right, back) => {
    expect(back).toBe(right);
    for (let x = Number(left); x < Number(left) + Number(right); x++) dark.add(`${x},${top}`);
    return '';
  });
  expect(rest).toBe('');
  return rows(width, width, (x, y) => dark.has(`${x},${y}`));
}

/** The matrix of the QR library, which chooses the mode by itself, with a quiet zone and the same mask. */
function rowsOfLibrary(text: string): Rows {
  const { modules } = QRCode.create(text, { errorCorrectionLevel: 'M', maskPattern: 0 });
  const width = modules.size + 2 * QUIET_ZONE;
  const isInside = (at: number) => at >= QUIET_ZONE && at < QUIET_ZONE + modules.size;
  return rows(width, width, (x, y) => isInside(x) && isInside(y) && modules.get(y - QUIET_ZONE, x - QUIET_ZONE) === 1);
}

function rows(width: number, height: number, isDark: (x: number, y: number) => boolean): Rows {
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (__, x) => (isDark(x, y) ? '#' : '.')).join(''),
  );
}

describe('qrPng', () => {
  test('scans as the token', () => {
    expect(scan(qrPng(token))).toBe(token);
  });

  test('scans as the token, for any facts', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const text = signToken(facts, someKey);
        expect(scan(qrPng(text))).toBe(text);
      }),
      { numRuns: 10 },
    );
  });

  test('encodes other texts too', () => {
    expect(scan(qrPng('Grüße aus 東京'))).toBe('Grüße aus 東京');
  });

  test('has 49 × 49 modules for a token: alphanumeric mode (57 × 57 in byte mode)', () => {
    const bytes = QRCode.create([{ data: Buffer.from(token), mode: 'byte' }], { errorCorrectionLevel: 'M' });
    expect(rowsOfPng(qrPng(token)).length / 8 - 2 * QUIET_ZONE).toBe(49);
    expect(bytes.modules.size).toBe(57);
  });

  test.each([
    [16, 'A'],
    [8, token],
    [2, 'A'.repeat(3_391)],
  ])('draws the matrix and a quiet zone of four modules, each %p pixels wide', (scale, text) => {
    const modules = rowsOfLibrary(text);
    const width = modules.length * scale;
    const scaled = rows(width, width, (x, y) => modules[Math.floor(y / scale)]?.[Math.floor(x / scale)] === '#');
    expect(rowsOfPng(qrPng(text))).toEqual(scaled);
  });

  test('is a black and white image, 456 pixels wide and small', () => {
    const png = Buffer.from(qrPng(token));
    const [width, height, bitDepth, colourType] = [png.readUInt32BE(16), png.readUInt32BE(20), png[24], png[25]];
    expect({ width, height, bitDepth, colourType }).toEqual({ width: 456, height: 456, bitDepth: 1, colourType: 0 });
    expect(png.length).toBeLessThan(1_500);
  });

  test('refuses a text that no QR code can hold', () => {
    expect(() => qrPng('A'.repeat(5_000))).toThrow();
  });
});

describe('qrSvg', () => {
  test('draws the matrix and a quiet zone of four modules', () => {
    expect(rowsOfSvg(qrSvg(token))).toEqual(rowsOfLibrary(token));
  });

  test('is an image with a text alternative that does not contain the token', () => {
    const svg = qrSvg(token, 'QR & "code" <of> the voucher');
    expect(svg).toStartWith(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 57 57" width="285" height="285" role="img"',
    );
    expect(svg).toContain('<title>QR &amp; &quot;code&quot; &lt;of&gt; the voucher</title>');
    expect(svg).toContain('shape-rendering="crispEdges"');
    expect(svg).toContain('<rect width="57" height="57" fill="#fff"/>');
    expect(svg).not.toContain('KEY00001');
  });
});
