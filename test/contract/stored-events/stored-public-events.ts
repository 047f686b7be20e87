import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import type { PublicFacts } from '../../../src/domain/booking/facts.ts';
import { fingerprint, keyId } from '../../support/examples.ts';
import { STORED_BOOKING_EVENTS as EARLIER } from './stored-booking-events.ts';

/** The payload has title or venue name of revision 3 of the catalogue entry, or neither. */
const WITH_TITLE: PublicFacts = {
  keyId: keyId('key_4c9a1f70b2de'),
  webhookOrigin: 'https://agent.example.com',
  activityRevision: 3,
};
const WITHOUT_TITLE: PublicFacts = { ...WITH_TITLE, activityRevision: 0 };

const CONFIRMED = naming(EARLIER['BookingConfirmed.v3'], WITH_TITLE);
const MODIFIED = naming(EARLIER['BookingModified.v2'], WITHOUT_TITLE);
const VISITED = naming(EARLIER['VisitVerified.v3'], WITH_TITLE);
const MAILED = naming<BookingEvent & { type: 'VoucherMailed' }>(EARLIER['VoucherMailed.v1'], WITHOUT_TITLE);
const REPORTED = {
  ...VISITED,
  data: { ...VISITED.data, reportedAtMs: 1_798_088_400_000, uploadedSequence: 17, disputed: true },
};

/** What the golden files of public events of bookings mean, in the versions that name what their payload is made of. */
export const STORED_PUBLIC_EVENTS = {
  'BookingConfirmed.v4': CONFIRMED,
  'BookingConfirmed.v5': { ...CONFIRMED, data: { ...CONFIRMED.data, confirmedAtMs: 1_795_235_400_000 } },
  'BookingConfirmed.v6': {
    ...CONFIRMED,
    data: {
      ...CONFIRMED.data,
      pricing: {
        ...CONFIRMED.data.pricing,
        lines: [
          { guests: 2, unitPriceMinor: 129_000, discountMinor: 38_700 },
          { guests: 1, unitPriceMinor: 129_000, discountMinor: 0 },
        ],
      },
      confirmedAtMs: 1_795_235_400_000,
    },
  },
  'BookingRejected.v2': naming(EARLIER['BookingRejected.v1'], WITHOUT_TITLE),
  'BookingModified.v3': MODIFIED,
  'BookingModified.v4': {
    ...MODIFIED,
    data: {
      ...MODIFIED.data,
      pricing: {
        unitPriceMinor: 149_000,
        discountMinor: 44_700,
        currency: 'THB',
        lines: [
          { guests: 3, unitPriceMinor: 149_000, discountMinor: 44_700 },
          { guests: 1, unitPriceMinor: 155_000, discountMinor: 0 },
        ],
        retainedMinor: 64_500,
      },
    },
  },
  'BookingCancelled.v2': naming(EARLIER['BookingCancelled.v1'], WITHOUT_TITLE),
  'VisitVerified.v4': VISITED,
  'VisitVerified.v5': REPORTED,
  'VisitVerified.v6': { ...REPORTED, data: { ...REPORTED.data, opensAtMs: 1_798_077_600_000 } },
  'VoucherMailed.v2': MAILED,
  'VoucherMailed.v3': { ...MAILED, data: { ...MAILED.data, recipient: fingerprint('2V8ZR5NW3H1YJD6Q1X9T4B7M0K') } },
} satisfies Record<string, BookingEvent>;

function naming<E extends BookingEvent>(event: E, publicFacts: PublicFacts): E {
  return { ...event, data: { ...event.data, publicFacts } };
}
