import type { ExposureEntry } from '../../ports/exposure-store.ts';

/** What counts against one limit of a key. */
type Entries = readonly ExposureEntry[];

/** A booking or hold, and what it takes of a limit until `endsAtMs` (ms since the epoch). */
export type Exposed = Pick<ExposureEntry, 'subject' | 'amount' | 'endsAtMs'>;

export type Reservation =
  | { readonly kind: 'reserved'; readonly entries: Entries }
  /** `easesAtMs`: when the same reservation fits if nothing else changes; null if it never does. */
  | { readonly kind: 'over'; readonly used: number; readonly easesAtMs: number | null };

/** The use at `nowMs`: of each subject the largest entry that has not ended. */
export function useOf(entries: Entries, nowMs: number): number {
  return [...largest(entries, nowMs).values()].reduce((sum, { amount }) => sum + amount, 0);
}

/** Adds an entry within the bound. A subject that takes no more than before is never refused. */
export function reserved(entries: Entries, entry: ExposureEntry, bound: number, nowMs: number): Reservation {
  const live = entries.filter(({ endsAtMs }) => nowMs < endsAtMs);
  const after = [
    ...live.filter(({ subject, attempt }) => subject !== entry.subject || attempt !== entry.attempt),
    entry,
  ];
  const [used, wanted] = [useOf(live, nowMs), useOf(after, nowMs)];
  if (wanted <= bound || wanted <= used) return { kind: 'reserved', entries: after };
  return { kind: 'over', used, easesAtMs: easesAtMs(after, entry.subject, wanted - bound, nowMs) };
}

/** Without the reservation of one request. */
export function withoutAttempt(entries: Entries, subject: string, attempt: string): Entries {
  return unlessSame(
    entries,
    entries.filter((entry) => entry.subject !== subject || entry.attempt !== attempt),
  );
}

/**
 * With what a subject takes from now on; null: nothing. Replaces all its entries, except those of requests that may run
 * longer than `openUntilMs` (ms since the epoch).
 */
export function settled(
  entries: Entries,
  {
    subject,
    counts,
    openUntilMs,
    nowMs,
  }: {
    readonly subject: string;
    readonly counts: Pick<Exposed, 'amount' | 'endsAtMs'> | null;
    readonly openUntilMs: number;
    readonly nowMs: number;
  },
): Entries {
  const others = entries.filter((entry) => entry.subject !== subject || entry.openUntilMs > openUntilMs);
  if (counts === null) return unlessSame(entries, others);
  return [...others, { subject, attempt: null, ...counts, openUntilMs: 0, checkedAtMs: nowMs }];
}

function largest(entries: Entries, nowMs: number): ReadonlyMap<string, ExposureEntry> {
  const bySubject = new Map<string, ExposureEntry>();
  for (const entry of entries) {
    if (nowMs >= entry.endsAtMs) continue;
    const known = bySubject.get(entry.subject);
    if (known === undefined || entry.amount > known.amount) bySubject.set(entry.subject, entry);
  }
  return bySubject;
}

/** When the entries of other subjects that end first are as large as the excess. */
function easesAtMs(entries: Entries, wanted: string, excess: number, nowMs: number): number | null {
  const others = [...largest(entries, nowMs).values()].filter(({ subject }) => subject !== wanted);
  let left = excess;
  for (const { amount, endsAtMs } of others.sort((one, other) => one.endsAtMs - other.endsAtMs)) {
    left -= amount;
    if (left <= 0) return endsAtMs;
  }
  return null;
}

function unlessSame(before: Entries, after: Entries): Entries {
  return after.length === before.length ? before : after;
}
