const ALPHANUMERIC = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:';

/** ISO/IEC 18004, table 2: the four bits that say how what follows is written. */
const END = 0;
const NUMERIC = 1;
const ALPHANUMERIC_MODE = 2;
const BYTES = 4;

/** Table 3: bits of the number of characters, by version 1-9, 10-26, 27-40. */
const COUNT_BITS: Readonly<Record<number, readonly [number, number, number]>> = {
  [NUMERIC]: [10, 12, 14],
  [ALPHANUMERIC_MODE]: [9, 11, 13],
  [BYTES]: [8, 16, 16],
};

/** The text that a QR code's data codewords spell; null where they use a mode that this reader does not know. */
export function textOf(codewords: readonly number[], version: number): string | null {
  const bits = codewords.map((codeword) => codeword.toString(2).padStart(8, '0')).join('');
  let at = 0;
  const take = (count: number): number => {
    at += count;
    return Number.parseInt(bits.slice(at - count, at) || '0', 2);
  };
  const parts: Buffer[] = [];
  while (bits.length - at >= 4) {
    const mode = take(4);
    if (mode === END) break;
    const sizes = COUNT_BITS[mode];
    if (sizes === undefined) return null;
    const count = take(version <= 9 ? sizes[0] : version <= 26 ? sizes[1] : sizes[2]);
    parts.push(Buffer.from(segment(mode, count, take)));
  }
  return Buffer.concat(parts).toString('utf8');
}

type Take = (bits: number) => number;

/** 7.4.4 to 7.4.6 */
function segment(mode: number, count: number, take: Take): string | number[] {
  if (mode === BYTES) return Array.from({ length: count }, () => take(8));
  if (mode === NUMERIC) return inGroups(count, 3, (size) => digits(take([0, 4, 7, 10][size] ?? 0), size));
  return inGroups(count, 2, (size) => {
    const value = take(size === 2 ? 11 : 6);
    return size === 2 ? letter(Math.floor(value / 45)) + letter(value % 45) : letter(value);
  });
}

function inGroups(count: number, size: number, group: (size: number) => string): string {
  const groups = Array.from({ length: Math.ceil(count / size) }, (_, index) => Math.min(size, count - index * size));
  return groups.map(group).join('');
}

function digits(value: number, size: number): string {
  return value.toString().padStart(size, '0');
}

function letter(value: number): string {
  return ALPHANUMERIC[value] ?? '';
}
