import type { Arrival, ScanAnswer } from './contract.ts';

/** `admit` is green, `check` amber, `refuse` red. */
export type Tone = 'admit' | 'check' | 'refuse';

/** Why a verdict is not green: a code of the API, or what only a phone can say. */
export const REASONS = [
  'VOUCHER_TOKEN_INVALID',
  'VOUCHER_NOT_FOUND',
  'WRONG_VENUE',
  'VOUCHER_CANCELLED',
  'VOUCHER_ALREADY_VERIFIED',
  'VOUCHER_NOT_VALID_TODAY',
  'VOUCHER_EXPIRED',
  'RATE_LIMITED',
  'REFUSED',
  /** A token of an earlier revision of a changed booking. */
  'CHANGED',
  /** The operator voided the visit after this phone recorded it. */
  'VOIDED',
  'LIST_IS_OLD',
  'NOT_ON_LIST',
  'CODE_UNCHECKED',
  'KEY_UNKNOWN',
] as const;
export type Reason = (typeof REASONS)[number];

/** A guest as the gate shows them. The token alone has no name. */
export type Guest = {
  readonly bookingId: string | null;
  readonly name: string | null;
  readonly numAdults: number;
  readonly numChildren: number;
  readonly numGuests: number;
  readonly opensAt: string | null;
  readonly closesAt: string | null;
  readonly requests: string | null;
  readonly activity: string | null;
};

export type Verdict = {
  readonly tone: Tone;
  readonly reason: Reason | null;
  /** The instant that the reason names: of the first scan, of the cancellation, … Ms since the epoch. */
  readonly atMs: number | null;
  /** The gate of the first scan, or the address of the other venue. */
  readonly where: string | null;
  readonly guest: Guest | null;
  /** What is sent to record the visit. */
  readonly code: string;
  readonly by: 'service' | 'phone';
};

export type Refusal = { readonly code: string; readonly details: string };

export function guestOfScan(answer: ScanAnswer): Guest {
  return guestOf(answer);
}

export function guestOfArrival(arrival: Arrival): Guest {
  return guestOf(arrival);
}

function guestOf(of: ScanAnswer | Arrival): Guest {
  return {
    bookingId: of.booking_id,
    name: of.user_name,
    numAdults: of.num_adults,
    numChildren: of.num_children,
    numGuests: of.num_guests,
    opensAt: of.opens_at,
    closesAt: of.closes_at,
    requests: of.special_requests,
    activity: of.activity_title,
  };
}

/** The verdict on a scan that the service refused. `details` has instants as the contract says. */
export function verdictOfRefusal({ code, details }: Refusal, scanned: string): Verdict {
  const known = (REASONS as readonly string[]).includes(code) ? (code as Reason) : 'REFUSED';
  const isVoided = known === 'VOUCHER_ALREADY_VERIFIED' && details.includes('voided');
  const instant = /\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(details)?.[0];
  const gate = / at gate (.*?)(?:, voided .*)?$/.exec(details)?.[1] ?? null;
  return {
    tone: known === 'RATE_LIMITED' ? 'check' : 'refuse',
    reason: isVoided ? 'VOIDED' : known,
    atMs: instant === undefined ? null : Date.parse(instant),
    where: known === 'WRONG_VENUE' ? details : gate,
    guest: null,
    code: scanned,
    by: 'service',
  };
}
