import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider, reject } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { BookingId, ClaimId, Fingerprint } from '../ids.ts';

/** The guest's data, and what the caller recorded with it. No other stream stores it. */
export type GuestDetails = {
  readonly name: string;
  readonly email: string;
  readonly specialRequests: string | null;
} & CallerData;

/** The caller's own data about a booking. It may identify the guest, so it is stored and erased with the guest's. */
export type CallerData = {
  /** The caller's name for the booking, 1 to 100 characters; null: none. */
  readonly reference: string | null;
  /** At most 20 texts of at most 200 characters, by names of the caller's choice. */
  readonly metadata: Readonly<Record<string, string>>;
};

/** These types are the storage format. */
export type GuestEvent =
  | {
      readonly type: 'GuestRecorded';
      readonly data: Omit<GuestDetails, keyof CallerData> & {
        readonly booking: BookingId;
        readonly fingerprint: Fingerprint;
      };
    }
  /**
   * In the same append as GuestRecorded, only if the caller sent any. A release that does not know it can read all other
   * guests (docs/decisions/0049).
   */
  | { readonly type: 'CallerDataRecorded'; readonly data: CallerData };

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

export const NO_CALLER_DATA: CallerData = { reference: null, metadata: {} };

/** Replaces the details of an erased guest. */
export const ERASED: GuestDetails = { name: '[erased]', email: '[erased]', specialRequests: null, ...NO_CALLER_DATA };

/** Replaces the details while a booking has no guest record yet, or if it never got one. */
export const UNRECORDED: GuestDetails = { ...ERASED, name: '[not recorded]', email: '[not recorded]' };

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
    const { name, email, specialRequests, reference, metadata } = guest;
    const data = { booking: bookingId, fingerprint, name, email, specialRequests };
    const recorded: GuestEvent = { type: 'GuestRecorded', data };
    return hasCallerData(guest)
      ? accept<GuestEvent>(recorded, { type: 'CallerDataRecorded', data: { reference, metadata } })
      : accept(recorded);
  },
  evolve(state, event) {
    switch (event.type) {
      case 'GuestRecorded': {
        const { fingerprint, name, email, specialRequests } = event.data;
        return { status: 'recorded', fingerprint, details: { name, email, specialRequests, ...NO_CALLER_DATA } };
      }
      case 'CallerDataRecorded': {
        if (state.status === 'none') throw new Error('CallerDataRecorded before GuestRecorded');
        const { reference, metadata } = event.data;
        return { ...state, details: { ...state.details, reference, metadata } };
      }
      default:
        return unreachable(event);
    }
  },
};

export const guestCodec = codec<GuestEvent>('guest', { GuestRecorded: [], CallerDataRecorded: [] });

export function hasCallerData({ reference, metadata }: CallerData): boolean {
  return reference !== null || Object.keys(metadata).length > 0;
}

/** The id of the guest stream that belongs to a claim. */
export function guestId(claim: ClaimId): string {
  return claim;
}
