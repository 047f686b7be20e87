import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import type { PublicFacts } from '../../../src/domain/booking/facts.ts';
import { fingerprint, keyId } from '../../support/examples.ts';
import { STORED_BOOKING_EVENTS as EARLIER } from './stored-booking-events.ts';
import { STORED_MAIL_EVENTS } from './stored-mail-events.ts';

/** The payload has title or venue name of revision 3 of the catalogue entry, or neither. */
const WITH_TITLE: PublicFacts = {
  keyId: keyId('key_4c9a1f70b2de'),
  webhookOrigin: 'https://agent.example.com',
  activityRevision: 3,
};
const WITHOUT_TITLE: PublicFacts = { ...WITH_TITLE, activityRevision: 0 };

const CONFIRMED = naming(EARLIER['BookingConfirmed.v3'], WITH_TITLE);
const VISITED = naming(EARLIER['VisitVerified.v3'], WITH_TITLE);
const MAILED = naming<BookingEvent & { type: 'VoucherMailed' }>(STORED_MAIL_EVENTS['VoucherMailed.v1'], WITHOUT_TITLE);

/** What the golden files of public events of bookings mean, in the versions that name what their payload is made of. */
export const STORED_PUBLIC_EVENTS = {
  'BookingConfirmed.v4': CONFIRMED,
  'BookingConfirmed.v5': { ...CONFIRMED, data: { ...CONFIRMED.data, confirmedAtMs: 1_795_235_400_000 } },
  'BookingRejected.v2': naming(EARLIER['BookingRejected.v1'], WITHOUT_TITLE),
  'BookingModified.v3': naming(EARLIER['BookingModified.v2'], WITHOUT_TITLE),
  'BookingCancelled.v2': naming(EARLIER['BookingCancelled.v1'], WITHOUT_TITLE),
  'VisitVerified.v4': VISITED,
  'VisitVerified.v5': {
    ...VISITED,
    data: { ...VISITED.data, reportedAtMs: 1_798_088_400_000, uploadedSequence: 17, disputed: true },
  },
  'VoucherMailed.v2': MAILED,
  'VoucherMailed.v3': { ...MAILED, data: { ...MAILED.data, recipient: fingerprint('2V8ZR5NW3H1YJD6Q1X9T4B7M0K') } },
} satisfies Record<string, BookingEvent>;

function naming<E extends BookingEvent>(event: E, publicFacts: PublicFacts): E {
  return { ...event, data: { ...event.data, publicFacts } };
}
