import { inflateSync } from 'node:zlib';

const SIGNATURE = '89504e470d0a1a0a';
const GREYSCALE = 0;

/** Dark pixels of a square image, row by row. */
export type Pixels = { readonly size: number; readonly isDark: (row: number, column: number) => boolean };

/**
 * The pixels of a square greyscale PNG, which is what a QR code is drawn in (section numbers are those of the PNG
 * specification, third edition). Null where it is anything else.
 */
export function readPng(bytes: Uint8Array): Pixels | null {
  const file = Buffer.from(bytes);
  if (file.subarray(0, 8).toString('hex') !== SIGNATURE) return null;
  const chunks = chunksOf(file);
  const header = chunks.find(({ type }) => type === 'IHDR')?.data;
  if (header?.length !== 13) return null;
  const [width, height, bits, colour, interlace] = [
    header.readUInt32BE(0),
    header.readUInt32BE(4),
    header.readUInt8(8),
    header.readUInt8(9),
    header.readUInt8(12),
  ];
  if (width !== height || colour !== GREYSCALE || ![1, 8].includes(bits) || interlace !== 0) return null;
  const data = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map((chunk) => chunk.data));
  const rowBytes = Math.ceil((width * bits) / 8);
  const rows = unfiltered(inflateSync(data), rowBytes, height);
  return {
    size: width,
    isDark(row, column) {
      const at = row * rowBytes;
      if (bits === 8) return (rows[at + column] ?? 0xff) < 0x80;
      return (((rows[at + (column >> 3)] ?? 0xff) >> (7 - (column & 7))) & 1) === 0;
    },
  };
}

/** 5.3: length of the data, type, data, CRC. */
function chunksOf(file: Buffer): { readonly type: string; readonly data: Buffer }[] {
  const chunks: { type: string; data: Buffer }[] = [];
  let at = 8;
  while (at + 12 <= file.length) {
    const length = file.readUInt32BE(at);
    chunks.push({ type: file.toString('latin1', at + 4, at + 8), data: file.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return chunks;
}

/** 9.2: each row begins with the filter that was applied to it; a pixel here is a byte or less. */
function unfiltered(filtered: Uint8Array, rowBytes: number, height: number): Uint8Array {
  const rows = new Uint8Array(rowBytes * height);
  for (let row = 0; row < height; row++) {
    const filter = filtered[row * (rowBytes + 1)] ?? 0;
    for (let column = 0; column < rowBytes; column++) {
      const at = row * rowBytes + column;
      const left = column === 0 ? 0 : (rows[at - 1] ?? 0);
      const up = rows[at - rowBytes] ?? 0;
      const corner = column === 0 ? 0 : (rows[at - rowBytes - 1] ?? 0);
      rows[at] = (filtered[row * (rowBytes + 1) + 1 + column] ?? 0) + predicted(filter, left, up, corner);
    }
  }
  return rows;
}

/** 9.2, table "filter types": None, Sub, Up, Average, Paeth. */
function predicted(filter: number, left: number, up: number, corner: number): number {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4:
      return paeth(left, up, corner);
    default:
      return 0;
  }
}

function paeth(left: number, up: number, corner: number): number {
  const estimate = left + up - corner;
  const [toLeft, toUp, toCorner] = [left, up, corner].map((neighbour) => Math.abs(estimate - neighbour));
  if (toLeft === undefined || toUp === undefined || toCorner === undefined) return 0;
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
