import type { ActivityId, LocalDate } from './activity/activity.ts';

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

export function allotmentId(activityId: ActivityId, date: LocalDate): AllotmentId {
  return `${activityId}-${date}` as AllotmentId;
}
