import { timeOrderedId } from '../../eventsourcing/time-ordered-id.ts';
import type { LogId } from './profile.ts';

/** A new log id: time-ordered like a booking's. @param random at least `RANDOM_BYTES` bytes */
export function newLogId(nowMs: number, random: Uint8Array): LogId {
  return `rec_${timeOrderedId(nowMs, random).toLowerCase()}` as LogId;
}

/** Parses a log id; null if the form is wrong. */
export function parseLogId(text: string): LogId | null {
  return /^rec_[0-9a-hjkmnp-tv-z]{20}$/.test(text) ? (text as LogId) : null;
}
