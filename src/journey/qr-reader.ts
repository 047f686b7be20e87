import { type Pixels, readPng } from './png-pixels.ts';
import { blocksOf, type Level } from './qr-blocks.ts';
import { textOf } from './qr-text.ts';

/** Modules of a QR code without its quiet zone. */
type Matrix = { readonly size: number; readonly isDark: (row: number, column: number) => boolean };

/** Format information is stored with this mask, so that it is never all light (ISO/IEC 18004, 7.9.1). */
const FORMAT_MASK = 0x5412;
const LEVELS: readonly Level[] = ['M', 'L', 'H', 'Q'];

/**
 * The text of a QR code in a PNG as a program draws it: square to the image, whole pixels, nothing damaged; so no
 * error has to be corrected. (A gate's camera needs more.) Null where there is no such code in it.
 */
export function readQrCode(png: Uint8Array): string | null {
  const pixels = readPng(png);
  const matrix = pixels === null ? null : matrixOf(pixels);
  if (matrix === null) return null;
  const format = formatOf(matrix);
  const version = (matrix.size - 17) / 4;
  const level = LEVELS[format >> 13];
  const mask = MASKS[(format >> 10) & 7];
  if (level === undefined || mask === undefined) return null;
  const stored = storedCodewords(matrix, version, mask);
  return textOf(dataCodewords(stored, version, level), version);
}

/** Finds the code by its edges, and a module's width by the finder pattern in its corner, which is seven wide. */
function matrixOf({ size, isDark }: Pixels): Matrix | null {
  const places = Array.from({ length: size }, (_, place) => place);
  const darkRow = (row: number): boolean => places.some((column) => isDark(row, column));
  const top = places.findIndex(darkRow);
  const bottom = places.findLastIndex(darkRow);
  if (top < 0) return null;
  const left = places.findIndex((column) => isDark(top, column));
  const finder = places.findIndex((column) => column > left && !isDark(top, column)) - left;
  const width = finder / 7;
  const modules = (bottom - top + 1) / width;
  if (!Number.isInteger(width) || !Number.isInteger(modules) || modules < 21 || modules > 177 || modules % 4 !== 1) {
    return null;
  }
  return { size: modules, isDark: (row, column) => isDark(top + row * width, left + column * width) };
}

/** The 15 bits around the upper left finder, the most significant first (7.9.1). */
function formatOf({ isDark }: Matrix): number {
  const bits = [
    ...[0, 1, 2, 3, 4, 5, 7, 8].map((column) => isDark(8, column)),
    ...[7, 5, 4, 3, 2, 1, 0].map((row) => isDark(row, 8)),
  ];
  return bits.reduce((value, dark) => (value << 1) | Number(dark), 0) ^ FORMAT_MASK;
}

type Mask = (row: number, column: number) => boolean;

/** Table 10: where a module was turned over. */
const MASKS: readonly Mask[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
];

/** Two columns at a time from the right, up and down by turns, past what is no data (7.7.3). */
function storedCodewords(matrix: Matrix, version: number, mask: Mask): number[] {
  const bits: boolean[] = [];
  const pairs = Array.from({ length: (matrix.size - 1) / 2 }, (_, pair) => matrix.size - 1 - 2 * pair);
  for (const [turn, right] of pairs.entries()) {
    for (let step = 0; step < matrix.size; step++) {
      const row = turn % 2 === 0 ? matrix.size - 1 - step : step;
      // The column of the vertical timing pattern belongs to no pair.
      const column = right <= 6 ? right - 1 : right;
      for (const place of [column, column - 1]) {
        if (!isFunction(matrix.size, version, row, place)) bits.push(matrix.isDark(row, place) !== mask(row, place));
      }
    }
  }
  return Array.from({ length: Math.floor(bits.length / 8) }, (_, word) =>
    bits.slice(word * 8, word * 8 + 8).reduce((value, bit) => value * 2 + Number(bit), 0),
  );
}

/** Finders with what separates them, format, timing, alignment, version (6.3, 7.9, 7.10). */
function isFunction(size: number, version: number, row: number, column: number): boolean {
  const far = size - 8;
  if ((row <= 8 && (column <= 8 || column >= far)) || (row >= far && column <= 8)) return true;
  if (row === 6 || column === 6) return true;
  if (version >= 7 && ((row < 6 && column >= size - 11) || (column < 6 && row >= size - 11))) return true;
  const near = (place: number, centre: number): boolean => Math.abs(place - centre) <= 2;
  const centres = alignmentCentres(version);
  const last = size - 7;
  return centres.some((y) =>
    centres.some((x) => {
      const atFinder = (y === 6 && x === 6) || (y === 6 && x === last) || (y === last && x === 6);
      return !atFinder && near(row, y) && near(column, x);
    }),
  );
}

/** Annex E: rows and columns of the centres; evenly spaced from the far edge, by an even number. */
function alignmentCentres(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = version === 32 ? 26 : Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, back) => version * 4 + 10 - back * step)];
}

/** Puts together again what was dealt to blocks by turns (7.6); the last blocks have one codeword more. */
function dataCodewords(stored: readonly number[], version: number, level: Level): number[] {
  const { count, correcting } = blocksOf(version, level);
  const shortest = Math.floor(stored.length / count) - correcting;
  const longer = stored.length % count;
  const blocks: number[][] = Array.from({ length: count }, () => []);
  let next = 0;
  for (let place = 0; place <= shortest; place++) {
    for (const [index, block] of blocks.entries()) {
      if (place < shortest || index >= count - longer) block.push(stored[next++] ?? 0);
    }
  }
  return blocks.flat();
}
