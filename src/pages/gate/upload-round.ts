import { parseToken } from '../../vouchers/token-text.ts';
import type { Entry, Fault } from './entry.ts';

/** Delays of an upload that the service answers with a fault, doubled up to the last. */
const FIRST_DELAY_MS = 5_000;
const LAST_DELAY_MS = 600_000;
/** So many faults in a row are one of the service, not of the entries: the round ends. */
const MOST_FAULTS = 3;
/** Of a voucher's code: its end is the short code. */
const SHORT_LENGTH = 10;

/**
 * The codes with which the service decides on an upload. Any other refusal says nothing about it, such as the one of a release
 * without this operation: the upload is tried again.
 */
const VERDICTS: ReadonlySet<string> = new Set([
  'VOUCHER_TOKEN_INVALID',
  'VOUCHER_NOT_FOUND',
  'WRONG_VENUE',
  'VOUCHER_CANCELLED',
  'VOUCHER_ALREADY_VERIFIED',
  'VOUCHER_NOT_VALID_TODAY',
  'VOUCHER_EXPIRED',
  'BOOKING_NOT_FOUND',
  'INVALID_REQUEST',
  'IDEMPOTENCY_KEY_REUSED',
]);

export function isVerdict(code: string): boolean {
  return VERDICTS.has(code);
}

/** What came of an upload. `ended`: the entry does not wait any more. `stop`: the service takes no uploads now. */
export type Sent = 'ended' | 'fault' | 'stop';

type Uploads = {
  /** What waits, in the order of the sequence. */
  readonly waiting: () => readonly Entry[];
  readonly nowMs: () => number;
  readonly send: (entry: Entry) => Promise<Sent>;
};

/**
 * Sends each entry that waits once, in order: first those without a fault, then those whose next try is due. An entry waits for
 * the earlier ones of its booking; entries of different bookings do not depend on each other, and the service stores the sequence
 * without comparing it.
 *
 * @returns false if the service takes no uploads now
 */
export async function uploadRound({ waiting, nowMs, send }: Uploads): Promise<boolean> {
  const tried = new Set<number>();
  for (let faults = 0; faults < MOST_FAULTS; ) {
    const entry = nextUpload(waiting(), tried, nowMs());
    if (entry === undefined) return true;
    tried.add(entry.sequence);
    const sent = await send(entry);
    if (sent === 'stop') return false;
    faults = sent === 'fault' ? faults + 1 : 0;
  }
  return false;
}

function nextUpload(waiting: readonly Entry[], tried: ReadonlySet<number>, nowMs: number): Entry | undefined {
  const ready = waiting.filter(
    (entry) => !tried.has(entry.sequence) && isDue(entry, nowMs) && !isBehind(entry, waiting),
  );
  return ready.find(({ fault }) => fault === undefined) ?? ready[0];
}

/** Whether a new entry may be sent before what waits: only entries with a fault wait, and none of its booking. */
export function mayOvertake(entry: Entry, waiting: readonly Entry[]): boolean {
  const earlier = waiting.filter(({ sequence }) => sequence < entry.sequence);
  return earlier.every(({ fault }) => fault !== undefined) && !isBehind(entry, waiting);
}

/** Whether an earlier entry of the same booking waits. */
export function isBehind(entry: Entry, waiting: readonly Entry[]): boolean {
  const subjects = subjectsOf(entry);
  return waiting.some(
    (each) => each.sequence < entry.sequence && subjectsOf(each).some((subject) => subjects.includes(subject)),
  );
}

/** The entry after another fault. */
export function withFault(entry: Entry, { status, code }: Pick<Fault, 'status' | 'code'>, nowMs: number): Entry {
  const attempts = (entry.fault?.attempts ?? 0) + 1;
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (attempts - 1), LAST_DELAY_MS);
  return { ...entry, fault: { status, code, attempts, retryAtMs: nowMs + delayMs } };
}

/** When the next entry with a fault is tried, ms since the epoch; null if none waits. */
export function nextTryMs(waiting: readonly Entry[]): number | null {
  const times = waiting.flatMap(({ fault }) => (fault === undefined ? [] : [fault.retryAtMs]));
  return times.length === 0 ? null : Math.min(...times);
}

/** A try that is further away than any delay was set by a clock that was ahead. */
function isDue({ fault }: Entry, nowMs: number): boolean {
  return fault === undefined || nowMs >= fault.retryAtMs || fault.retryAtMs - nowMs > LAST_DELAY_MS;
}

/** The booking, and the end of its voucher's code: a typed short code has no more. */
function subjectsOf({ sent, guest }: Entry): readonly string[] {
  if (sent.kind === 'arrivals') return [sent.bookingId];
  const end = endOfCode(sent.code);
  const booking = guest?.bookingId ?? null;
  return booking === null ? [end] : [booking, end];
}

function endOfCode(text: string): string {
  const token = parseToken(text);
  const code = token.kind === 'parsed' ? token.facts.code : text.normalize('NFKC').toUpperCase();
  // As the service reads typed codes.
  const letters = code.replace(/[^0-9A-Z]/g, '').replaceAll('O', '0');
  return letters.replace(/[IL]/g, '1').slice(-SHORT_LENGTH);
}
