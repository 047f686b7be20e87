import { parseToken, scannedText, type VoucherFacts } from '../../vouchers/token-text.ts';
import type { Arrival } from './contract.ts';
import type { Revocations } from './revocations.ts';
import { hashOfCode, hexOfBase32, isSignedBy, type Keys } from './signature.ts';
import { localDate } from './venue-time.ts';
import { type Guest, guestOfArrival, type Reason, type Verdict } from './verdict.ts';

/** An answer from a list that is older is amber. */
export const OLD_MS = 15 * 60_000;

/** A day's list as the phone keeps it. */
export type Day = {
  readonly date: string;
  /** When the service made the list of arrivals. */
  readonly issuedAtMs: number;
  readonly items: readonly Arrival[];
  /** Null until a list with a valid signature was fetched. */
  readonly revocations: Revocations | null;
};

/** What a phone knows without a network. */
export type Known = {
  readonly venueId: string;
  readonly timeZone: string;
  readonly keys: Keys;
  readonly days: readonly Day[];
  /** When this phone admitted a voucher that may not be uploaded yet, by hash of code. Ms since the epoch. */
  readonly admitted: Readonly<Record<string, number>>;
};

/** A day's list is as old as its older part. */
export function ageMs({ issuedAtMs, revocations }: Day, nowMs: number): number {
  return nowMs - Math.min(issuedAtMs, revocations?.issuedAtMs ?? 0);
}

/**
 * What a phone can say of a scanned or typed text without the service. It checks in the order of the API: signature,
 * venue, cancelled, already verified, date. A typed code is amber: only its hash is on the phone, and a short code is not.
 */
export async function checkOffline(text: string, known: Known, nowMs: number): Promise<Verdict> {
  const code = scannedText(text);
  const token = parseToken(code);
  if (token.kind === 'malformed') return verdict('refuse', 'VOUCHER_TOKEN_INVALID', code);
  if (token.kind === 'not-a-token') return checkTypedCode(code, known, nowMs);
  const { facts, kid, signed, signature } = token;
  if (!Object.hasOwn(known.keys, kid)) return verdict('check', 'KEY_UNKNOWN', code);
  if (!(await isSignedBy(known.keys, kid, signed, signature))) return verdict('refuse', 'VOUCHER_TOKEN_INVALID', code);
  if (facts.venueId !== known.venueId) return verdict('refuse', 'WRONG_VENUE', code);
  const hash = await hashOfCode(facts.code);
  const day = known.days.find(({ date }) => date === facts.date);
  const listed = day?.items.find(({ code_hash }) => hexOfBase32(code_hash) === hash);
  const guest = listed === undefined ? guestOfToken(facts) : guestOfArrival(listed);
  const refusal = refusalOf({ facts, hash, day, listed, known, nowMs });
  if (refusal !== null) return verdict('refuse', refusal.reason, code, { guest, atMs: refusal.atMs });
  if (day === undefined || ageMs(day, nowMs) > OLD_MS) {
    const atMs = day?.issuedAtMs ?? null;
    return verdict('check', 'LIST_IS_OLD', code, { guest, atMs });
  }
  // Tokens of earlier releases do not say whether they are older than the change.
  if (facts.revision === null && day.revocations?.from[hash] !== undefined)
    return verdict('check', 'CHANGED', code, { guest });
  return listed === undefined
    ? verdict('check', 'NOT_ON_LIST', code, { guest, atMs: day.issuedAtMs })
    : verdict('admit', null, code, { guest });
}

/** Whom the lists name for a scanned or typed text, also if the service refuses it; null if they name nobody. */
export async function listedGuest(text: string, days: readonly Day[]): Promise<Guest | null> {
  const code = scannedText(text);
  const token = parseToken(code);
  const hash = await hashOfCode(token.kind === 'parsed' ? token.facts.code : code.trim().toUpperCase());
  const all = days.flatMap(({ items }) => items);
  const listed = all.find(({ code_hash }) => hexOfBase32(code_hash) === hash);
  return listed === undefined ? null : guestOfArrival(listed);
}

type Facts = {
  readonly facts: VoucherFacts;
  readonly hash: string;
  readonly day: Day | undefined;
  readonly listed: Arrival | undefined;
  readonly known: Known;
  readonly nowMs: number;
};

function refusalOf({ facts, hash, day, listed, known, nowMs }: Facts): { reason: Reason; atMs: number | null } | null {
  const revoked = day?.revocations?.from[hash];
  if (revoked === null || listed?.status === 'cancelled') return { reason: 'VOUCHER_CANCELLED', atMs: null };
  if (revoked !== undefined && facts.revision !== null && facts.revision < revoked)
    return { reason: 'CHANGED', atMs: null };
  const here = known.admitted[hash];
  if (here !== undefined) return { reason: 'VOUCHER_ALREADY_VERIFIED', atMs: here };
  if (listed !== undefined && listed.verified_at !== null)
    return { reason: 'VOUCHER_ALREADY_VERIFIED', atMs: Date.parse(listed.verified_at) };
  if (localDate(known.timeZone, nowMs) < facts.date) return { reason: 'VOUCHER_NOT_VALID_TODAY', atMs: startOf(facts) };
  if (nowMs >= facts.validUntilMs) return { reason: 'VOUCHER_EXPIRED', atMs: facts.validUntilMs };
  return null;
}

/** An instant of the booking's date in every city of the catalogue: these are 7 to 9 hours before UTC. */
function startOf({ date }: VoucherFacts): number {
  return Date.parse(`${date}T05:00:00Z`);
}

/** A whole code can be refused by its hash; nothing on the phone proves that it is valid. */
async function checkTypedCode(code: string, known: Known, nowMs: number): Promise<Verdict> {
  const hash = await hashOfCode(code.trim().toUpperCase());
  const here = known.admitted[hash];
  if (here !== undefined) return verdict('refuse', 'VOUCHER_ALREADY_VERIFIED', code, { atMs: here });
  for (const day of known.days) {
    const listed = day.items.find(({ code_hash }) => hexOfBase32(code_hash) === hash);
    if (listed === undefined) continue;
    const guest = guestOfArrival(listed);
    if (listed.status === 'cancelled') return verdict('refuse', 'VOUCHER_CANCELLED', code, { guest });
    if (listed.verified_at !== null)
      return verdict('refuse', 'VOUCHER_ALREADY_VERIFIED', code, { guest, atMs: Date.parse(listed.verified_at) });
    const isToday = day.date <= localDate(known.timeZone, nowMs);
    if (!isToday) return verdict('refuse', 'VOUCHER_NOT_VALID_TODAY', code, { guest, atMs: null });
    return verdict('check', 'CODE_UNCHECKED', code, { guest });
  }
  return verdict('check', 'CODE_UNCHECKED', code);
}

function guestOfToken({ numAdults, numChildren }: VoucherFacts): Guest {
  const unknown = { bookingId: null, name: null, opensAt: null, closesAt: null, requests: null, activity: null };
  return { ...unknown, numAdults, numChildren, numGuests: numAdults + numChildren };
}

function verdict(
  tone: Verdict['tone'],
  reason: Reason | null,
  code: string,
  { guest = null, atMs = null }: { readonly guest?: Guest | null; readonly atMs?: number | null } = {},
): Verdict {
  return { tone, reason, atMs, where: null, guest, code, by: 'phone' };
}
