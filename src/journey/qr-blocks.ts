/** Error correction levels in the order of their two format bits (ISO/IEC 18004, table 12): M, L, H, Q. */
export type Level = 'L' | 'M' | 'Q' | 'H';

/** Of one version and level: how many blocks the codewords are dealt to, and how many of each correct errors. */
export type Blocks = { readonly count: number; readonly correcting: number };

/** @param version 1 to 40; ISO/IEC 18004, table 9 */
export function blocksOf(version: number, level: Level): Blocks {
  const { count, correcting } = TABLE[level];
  return { count: count[version - 1] ?? 0, correcting: correcting[version - 1] ?? 0 };
}

const numbers = (text: string): readonly number[] => text.trim().split(/\s+/).map(Number);

const TABLE: Readonly<Record<Level, { readonly count: readonly number[]; readonly correcting: readonly number[] }>> = {
  L: {
    count: numbers(`1 1 1 1 1 2 2 2 2 4 4 4 4 4 6 6 6 6 7 8
      8 9 9 10 12 12 12 13 14 15 16 17 18 19 19 20 21 22 24 25`),
    correcting: numbers(`7 10 15 20 26 18 20 24 30 18 20 24 26 30 22 24 28 30 28 28
      28 28 30 30 26 28 30 30 30 30 30 30 30 30 30 30 30 30 30 30`),
  },
  M: {
    count: numbers(`1 1 1 2 2 4 4 4 5 5 5 8 9 9 10 10 11 13 14 16
      17 17 18 20 21 23 25 26 28 29 31 33 35 37 38 40 43 45 47 49`),
    correcting: numbers(`10 16 26 18 24 16 18 22 22 26 30 22 22 24 24 28 28 26 26 26
      26 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28`),
  },
  Q: {
    count: numbers(`1 1 2 2 4 4 6 6 8 8 8 10 12 16 12 17 16 18 21 20
      23 23 25 27 29 34 34 35 38 40 43 45 48 51 53 56 59 62 65 68`),
    correcting: numbers(`13 22 18 26 18 24 18 22 20 24 28 26 24 20 30 24 28 28 26 30
      28 30 30 30 30 28 30 30 30 30 30 30 30 30 30 30 30 30 30 30`),
  },
  H: {
    count: numbers(`1 1 2 4 4 4 5 6 8 8 11 11 16 16 18 16 19 21 25 25
      25 34 30 32 35 37 40 42 45 48 51 54 57 60 63 66 70 74 77 81`),
    correcting: numbers(`17 28 22 16 22 28 26 26 24 28 24 28 22 24 24 30 28 28 26 28
      30 24 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30`),
  },
};
