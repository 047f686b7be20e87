import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider, reject } from '../../eventsourcing/decider.ts';
import type { BookingId, ClaimId } from '../allotment/allotment.ts';
import type { Fingerprint } from '../booking/booking.ts';

/** Who comes. The only personal data that Waymark keeps. */
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
  readonly booking: BookingId;
  readonly fingerprint: Fingerprint;
  readonly guest: GuestDetails;
};

export type GuestRejection = { readonly code: 'GUEST_DIFFERS' };

export type Guest =
  | { readonly status: 'none' }
  | { readonly status: 'recorded'; readonly fingerprint: Fingerprint; readonly details: GuestDetails };

/** What stands in the place of a guest whose data was erased. */
export const ERASED: GuestDetails = { name: '[erased]', email: '[erased]', specialRequests: null };

/** The same while a booking is worked on that has not come so far, and for good where it never did. */
export const UNRECORDED: GuestDetails = { name: '[not recorded]', email: '[not recorded]', specialRequests: null };

/**
 * A guest stream is named after the claim that the booking was made or modified with, so that every attempt writes
 * personal data to a place of its own, and an attempt that came to nothing can be erased for itself
 * (docs/decisions/0005).
 */
export const guestDecider: Decider<GuestCommand, Guest, GuestEvent, GuestRejection> = {
  initial: { status: 'none' },
  decide({ booking, fingerprint, guest }, state) {
    if (state.status === 'recorded') {
      return state.fingerprint === fingerprint ? accept() : reject({ code: 'GUEST_DIFFERS' });
    }
    const { name, email, specialRequests } = guest;
    return accept({ type: 'GuestRecorded', data: { booking, fingerprint, name, email, specialRequests } });
  },
  evolve(_state, { data: { fingerprint, name, email, specialRequests } }) {
    return { status: 'recorded', fingerprint, details: { name, email, specialRequests } };
  },
};

export const guestCodec = codec<GuestEvent>('guest', { GuestRecorded: [] });

/** The stream id of the guest's record that was made with this claim. */
export function guestId(claim: ClaimId): string {
  return claim;
}
