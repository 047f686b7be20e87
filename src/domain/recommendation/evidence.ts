import { DIGIT_CODES, RADIX } from './ranked.ts';

/** What ground truth knows of an activity: its visits, and the visits expected of an activity of usual strength. */
export type Evidence = {
  readonly visited: number;
  readonly expected: number;
  /** Of travellers of the same travel type only; else of all travellers. */
  readonly sameType: boolean;
};

/** With fewer visits no sentence compares them with the usual number. */
export const FEW_VISITS = 3;

/** Added to both numbers before they are compared, so that few visits claim little. */
const CAUTION = 2;
const MENTIONED_FROM = 1.5;
const MOST_TIMES = 10;

/** How many times as often as usual an activity was visited, to halves, at most ten; null if not clearly more often. */
export function timesAsUsual({ visited, expected }: Evidence): number | null {
  if (visited < FEW_VISITS) return null;
  const times = (visited + CAUTION) / (expected + CAUTION);
  return times < MENTIONED_FROM ? null : Math.min(MOST_TIMES, Math.round(times * 2) / 2);
}

/** Tenths in three digits: at most 3,276.7. */
const DIGITS = 3;
const MOST = RADIX ** DIGITS - 1;
const ROW = 1 + 2 * DIGITS;
const [SAME_TYPE, EVERYBODY] = ['t', 'e'];

/** As a context log stores evidence: per activity whose it is, then visits and expected visits in tenths. */
export function toEvidenceDigits(evidence: readonly Evidence[]): string {
  const text = Buffer.allocUnsafe(evidence.length * ROW);
  let at = 0;
  const write = (count: number): void => {
    const tenths = Math.min(MOST, Math.max(0, Math.round(count * 10)));
    text[at++] = DIGIT_CODES[Math.floor(tenths / RADIX ** 2)] ?? 0;
    text[at++] = DIGIT_CODES[Math.floor(tenths / RADIX) % RADIX] ?? 0;
    text[at++] = DIGIT_CODES[tenths % RADIX] ?? 0;
  };
  for (const { visited, expected, sameType } of evidence) {
    text[at++] = (sameType ? SAME_TYPE : EVERYBODY).charCodeAt(0);
    write(visited);
    write(expected);
  }
  return text.toString('latin1');
}

/** Rounded to tenths; numbers above 3,276.7 read as 3,276.7. */
export function fromEvidenceDigits(text: string): Evidence[] {
  return Array.from({ length: text.length / ROW }, (_, row) => {
    const numberAt = (start: number) => Number.parseInt(text.slice(start, start + DIGITS), RADIX) / 10;
    const start = row * ROW;
    return {
      visited: numberAt(start + 1),
      expected: numberAt(start + 1 + DIGITS),
      sameType: text[start] === SAME_TYPE,
    };
  });
}
