import type { ActivityId, LocalDate } from './activity/activity.ts';
import { timeOrderedId } from './time-ordered-id.ts';

export type KeyId = string & { readonly __brand: 'KeyId' };
export type DeviceId = string & { readonly __brand: 'DeviceId' };
/** One command of one caller; repetitions have the same id. */
export type CommandId = string & { readonly __brand: 'CommandId' };
/** A keyed digest of a command's validated fields: the same fields give the same fingerprint. */
export type Fingerprint = string & { readonly __brand: 'Fingerprint' };

/** One activity on one date: `{activity}-{date}`. */
export type AllotmentId = string & { readonly __brand: 'AllotmentId' };
/** Made from everything that distinguishes two claims: `claimIdWith` in application/identifiers.ts. */
export type ClaimId = string & { readonly __brand: 'ClaimId' };
/** Slots reserved without a booking. Never equal to a claim's id. */
export type HoldId = string & { readonly __brand: 'HoldId' };
export type BookingId = string & { readonly __brand: 'BookingId' };

/** The id of a context log: one answer of recommend. */
export type LogId = string & { readonly __brand: 'LogId' };

export function allotmentIdOf(activityId: ActivityId, date: LocalDate): AllotmentId {
  return `${activityId}-${date}` as AllotmentId;
}

/** A booking id from its 20 base32 characters. */
export function bookingIdOf(part: string): BookingId {
  return `bk_${part.toLowerCase()}` as BookingId;
}

/** Parses a booking id; null if the form is wrong. */
export function parseBookingId(text: string): BookingId | null {
  return /^bk_[0-9a-hjkmnp-tv-z]{20}$/.test(text) ? (text as BookingId) : null;
}

/** A hold id from its 20 base32 characters. */
export function holdIdOf(part: string): HoldId {
  return `hd_${part.toLowerCase()}` as HoldId;
}

/** Parses a hold id; null if the form is wrong. */
export function parseHoldId(text: string): HoldId | null {
  return /^hd_[0-9a-hjkmnp-tv-z]{20}$/.test(text) ? (text as HoldId) : null;
}

/** A new log id: time-ordered like a booking's. @param random at least `RANDOM_BYTES` bytes */
export function newLogId(nowMs: number, random: Uint8Array): LogId {
  return `rec_${timeOrderedId(nowMs, random).toLowerCase()}` as LogId;
}

/** Parses a log id; null if the form is wrong. */
export function parseLogId(text: string): LogId | null {
  return /^rec_[0-9a-hjkmnp-tv-z]{20}$/.test(text) ? (text as LogId) : null;
}
