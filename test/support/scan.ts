import jsqr from 'jsqr';
import { readQrCode } from '../../src/cli/journey/qr-code.ts';

const PX_PER_MODULE = 4;

/** The text of the QR code in a PNG; empty if there is none. */
export function scanPng(png: Uint8Array | ArrayBuffer): string {
  return readQrCode(new Uint8Array(png)) ?? '';
}

/** The token in the text of a voucher's QR code. */
export function tokenIn(qrText: string): string {
  return qrText.slice(qrText.indexOf('#') + 1);
}

/** The text of the QR code in the first SVG of a text. */
export function scanSvg(text: string): string {
  const svg = text.slice(text.indexOf('<svg'));
  const width = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1]) * PX_PER_MODULE;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const [, x, y, modules] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    for (let row = Number(y) * PX_PER_MODULE; row < (Number(y) + 1) * PX_PER_MODULE; row++) {
      const first = row * width + Number(x) * PX_PER_MODULE;
      for (let at = first; at < first + Number(modules) * PX_PER_MODULE; at++) pixels.fill(0, at * 4, at * 4 + 3);
    }
  }
  return jsqr(pixels, width, width)?.data ?? '';
}
