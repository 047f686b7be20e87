import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider, reject } from '../../eventsourcing/decider.ts';
import type { BookingId, ClaimId, Fingerprint } from '../ids.ts';

/** The guest's data. No other stream stores it. */
export type GuestDetails = {
  readonly name: string;
  readonly email: string;
  readonly specialRequests: string | null;
};

/** These types are the storage format. */
export type GuestEvent = {
  readonly type: 'GuestRecorded';
  readonly data: GuestDetails & { readonly booking: BookingId; readonly fingerprint: Fingerprint };
};

export type GuestCommand = {
  readonly type: 'RecordGuest';
  readonly bookingId: BookingId;
  readonly fingerprint: Fingerprint;
  readonly guest: GuestDetails;
};

export type GuestRejection = { readonly code: 'GUEST_DIFFERS' };

export type Guest =
  | { readonly status: 'none' }
  | { readonly status: 'recorded'; readonly fingerprint: Fingerprint; readonly details: GuestDetails };

/** Replaces the details of an erased guest. */
export const ERASED: GuestDetails = { name: '[erased]', email: '[erased]', specialRequests: null };

/** Replaces the details while a booking has no guest record yet, or if it never got one. */
export const UNRECORDED: GuestDetails = { name: '[not recorded]', email: '[not recorded]', specialRequests: null };

/**
 * A guest stream is named after the claim of the booking or modification. Each run of a booking workflow thus writes
 * personal data to its own stream, and the data of a failed run can be erased separately (docs/decisions/0005).
 */
export const guestDecider: Decider<GuestCommand, Guest, GuestEvent, GuestRejection> = {
  initial: { status: 'none' },
  decide({ bookingId, fingerprint, guest }, state) {
    if (state.status === 'recorded') {
      return state.fingerprint === fingerprint ? accept() : reject({ code: 'GUEST_DIFFERS' });
    }
    const { name, email, specialRequests } = guest;
    return accept({ type: 'GuestRecorded', data: { booking: bookingId, fingerprint, name, email, specialRequests } });
  },
  evolve(_state, { data: { fingerprint, name, email, specialRequests } }) {
    return { status: 'recorded', fingerprint, details: { name, email, specialRequests } };
  },
};

export const guestCodec = codec<GuestEvent>('guest', { GuestRecorded: [] });

/** The id of the guest stream that belongs to a claim. */
export function guestId(claim: ClaimId): string {
  return claim;
}
