import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** PNG filter types: None stores the bytes of a row, Up their difference from the row above. */
const NONE = 0;
const UP = 2;

/**
 * A PNG of `size` × `size` black and white modules, each `scale` pixels wide: greyscale, 1 bit per pixel. Calls `isDark`
 * once per module. Section numbers refer to the PNG specification, third edition.
 */
export function modulesPng(size: number, scale: number, isDark: (row: number, column: number) => boolean): Uint8Array {
  const width = size * scale;
  const rowBytes = 1 + Math.ceil(width / 8);
  // Repeated rows use the filter Up: all bytes are zero and compress well.
  const rows = new Uint8Array(rowBytes * width);
  for (let row = 0; row < size; row++) {
    const start = row * scale * rowBytes;
    rows[start] = NONE;
    for (let column = 0; column < size; column++) {
      if (!isDark(row, column)) whiten(rows, start + 1, column * scale, scale);
    }
    for (let repeat = 1; repeat < scale; repeat++) rows[start + repeat * rowBytes] = UP;
  }
  return Buffer.concat([SIGNATURE, chunk('IHDR', header(width)), chunk('IDAT', deflateSync(rows)), chunk('IEND')]);
}

/** Sets the bits of `count` pixels from pixel `from` of a row that starts at byte `start`. */
function whiten(rows: Uint8Array, start: number, from: number, count: number): void {
  for (let pixel = from; pixel < from + count; pixel++) {
    const byte = start + (pixel >> 3);
    rows[byte] = (rows[byte] ?? 0) | (0x80 >> (pixel & 7));
  }
}

/** 11.2.1: width, height, bit depth 1, greyscale, deflate, adaptive filters, not interlaced. */
function header(width: number): Uint8Array {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(width, 4);
  data[8] = 1;
  return data;
}

/** 5.3: length of the data, type, data, CRC over type and data. */
function chunk(type: string, data: Uint8Array = new Uint8Array(0)): Uint8Array {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  bytes.set(data, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}
