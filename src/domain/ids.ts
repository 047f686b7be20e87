import type { ActivityId, LocalDate } from './activity/activity.ts';
import { timeOrderedId } from './time-ordered-id.ts';

export type KeyId = string & { readonly __brand: 'KeyId' };
/** `op_…` of a named operator; `admin` and `analyst` for the two tokens of the settings. */
export type OperatorId = string & { readonly __brand: 'OperatorId' };
/** `ses_` and 20 base32 characters that begin with the start of the session. */
export type SessionId = string & { readonly __brand: 'SessionId' };
export type DeviceId = string & { readonly __brand: 'DeviceId' };
/** One command of one caller; repetitions have the same id. */
export type CommandId = string & { readonly __brand: 'CommandId' };
/** A keyed digest of a command's validated fields: the same fields give the same fingerprint. */
export type Fingerprint = string & { readonly __brand: 'Fingerprint' };

/** One activity on one date: `{activity}-{date}`; of test bookings `test.{day}.{activity}-{date}`. */
export type AllotmentId = string & { readonly __brand: 'AllotmentId' };
/** Made from everything that distinguishes two claims: `claimIdWith` in application/identifiers.ts. */
export type ClaimId = string & { readonly __brand: 'ClaimId' };
/** Slots reserved without a booking. Never equal to a claim's id. */
export type HoldId = string & { readonly __brand: 'HoldId' };
export type BookingId = string & { readonly __brand: 'BookingId' };

/** The id of a context log: one answer of recommend. */
export type LogId = string & { readonly __brand: 'LogId' };

/** Whether the `by` of a cause is an operator: a named one, or a token of the settings. */
export function isOperatorId(by: string): by is OperatorId {
  return by === 'admin' || by === 'analyst' || by.startsWith('op_');
}

export function allotmentIdOf(activityId: ActivityId, date: LocalDate): AllotmentId {
  return `${activityId}-${date}` as AllotmentId;
}

/** The allotment that test bookings of `day` use instead of a live one. Each day has its own, so each day starts full. */
export function testAllotmentOf(live: AllotmentId, day: LocalDate): AllotmentId {
  return `test.${day}.${live}` as AllotmentId;
}

/** The live allotment of the same activity and date. */
export function liveAllotmentOf(allotment: AllotmentId): AllotmentId {
  return allotment.replace(TEST_DAY, '') as AllotmentId;
}

/** The day in the id of a test allotment; '' for another id. */
export function testDayOf(allotment: string): string {
  return TEST_DAY.test(allotment) ? (allotment.split('.')[1] ?? '') : '';
}

/** Activity ids contain no dot. */
const TEST_DAY = /^test\.\d{4}-\d{2}-\d{2}\./;

export const MODES = ['live', 'test'] as const;
/** `test`: nothing is charged, counted or taken from the capacity of live bookings. */
export type Mode = (typeof MODES)[number];

/**
 * The mode of a booking, hold, context log or allotment. It is part of the id, so every reader of an id knows the mode
 * and the stream.
 */
export function modeOf(id: string): Mode {
  return /^(?:bk|hd|rec)_test_|^test\./.test(id) ? 'test' : 'live';
}

function marked(kind: 'bk' | 'hd' | 'rec', mode: Mode, part: string): string {
  return `${kind}_${mode === 'test' ? 'test_' : ''}${part.toLowerCase()}`;
}

/** A booking id from its 20 base32 characters. */
export function bookingIdOf(mode: Mode, part: string): BookingId {
  return marked('bk', mode, part) as BookingId;
}

/** Parses a booking id; null if the form is wrong. */
export function parseBookingId(text: string): BookingId | null {
  return /^bk_(?:test_)?[0-9a-hjkmnp-tv-z]{20}$/.test(text) ? (text as BookingId) : null;
}

/** A booking id or its beginning, of at least 4 characters after `bk_`, in any case; null for another text. */
export function bookingIdStart(text: string): string | null {
  const start = text.trim().toLowerCase();
  return /^bk_(?:test_)?[0-9a-hjkmnp-tv-z]{4,20}$/.test(start) ? start : null;
}

/** A hold id from its 20 base32 characters. */
export function holdIdOf(mode: Mode, part: string): HoldId {
  return marked('hd', mode, part) as HoldId;
}

/** Parses a hold id; null if the form is wrong. */
export function parseHoldId(text: string): HoldId | null {
  return /^hd_(?:test_)?[0-9a-hjkmnp-tv-z]{20}$/.test(text) ? (text as HoldId) : null;
}

/** A new log id: time-ordered like a booking's. @param random at least `RANDOM_BYTES` bytes */
export function newLogId(mode: Mode, nowMs: number, random: Uint8Array): LogId {
  return marked('rec', mode, timeOrderedId(nowMs, random)) as LogId;
}

/** Parses a log id; null if the form is wrong. */
export function parseLogId(text: string): LogId | null {
  return /^rec_(?:test_)?[0-9a-hjkmnp-tv-z]{20}$/.test(text) ? (text as LogId) : null;
}

/** A new session id: a session that started later has a greater id. @param random at least `RANDOM_BYTES` bytes */
export function newSessionId(startedMs: number, random: Uint8Array): SessionId {
  return `ses_${timeOrderedId(startedMs, random).toLowerCase()}` as SessionId;
}
