import { test } from 'bun:test';
import { guestsProjection } from '../../../projections/guests/projection.ts';
import type { GuestDocument } from '../../../projections/guests/read-model.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import type { GuestEvent } from '../../../src/domain/guest/guest.ts';
import { allotment, bookingId, claimId, confirmation, fingerprint } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { recorder } from '../../support/recorded.ts';

const CLAIM = claimId('bk_1.claim');
const AT = '2026-11-21T03:00:00.000Z';
const DETAILS = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  specialRequests: 'A quiet table.',
  fingerprint: fingerprint('GUEST1'),
};
const GUEST: Omit<GuestDocument, 'reference' | 'metadata'> = {
  ...DETAILS,
  bookingId: bookingId('bk_1'),
  recordedAt: AT,
  terms: ['ada', 'lov', 'lovela', 'ada@'],
};
const CALLER_DATA = { reference: 'trip-42', metadata: { room: '1204' } };

const log = recorder();
const recorded = (claim = CLAIM) =>
  log<GuestEvent>(`guest-${claim}`, { type: 'GuestRecorded', data: { ...DETAILS, booking: bookingId('bk_1') } });
const withCallerData = () => log<GuestEvent>(`guest-${CLAIM}`, { type: 'CallerDataRecorded', data: CALLER_DATA });
const confirmed = () => log<BookingEvent>('booking-bk_1', confirmation());
const erased = () =>
  log<BookingEvent>('booking-bk_1', {
    type: 'GuestErased',
    data: { records: [CLAIM, claimId('bk_1.second')], by: 'operator', at: '2026-11-21T03:00:00.000Z' },
  });
const abandoned = () =>
  log<BookingEvent>('booking-bk_1', {
    type: 'ClaimAbandoned',
    data: { claim: CLAIM, allotment: allotment('bkk-ocean-world-2026-12-24') },
  });

test('a record of a guest has one document, with what the caller sent', () => {
  givenEvents(guestsProjection, recorded(), confirmed()).thenDocument(CLAIM, {
    ...GUEST,
    reference: null,
    metadata: {},
  });
  givenEvents(guestsProjection, recorded(), withCallerData(), confirmed()).thenDocument(CLAIM, {
    ...GUEST,
    ...CALLER_DATA,
  });
});

test('an erasure deletes every record of the booking, and no other', () => {
  givenEvents(guestsProjection, recorded(), recorded(claimId('bk_1.second')), recorded(claimId('bk_2.claim')), erased())
    .thenDocument(CLAIM, null)
    .thenDocument('bk_1.second', null)
    .thenDocument('bk_2.claim', { ...GUEST, reference: null, metadata: {} });
});

test.each([
  ['erasure', erased],
  ['abandonment of its claim', abandoned],
])('a record that is appended after the %s stays deleted', (_, ending) => {
  givenEvents(guestsProjection, recorded(), ending(), withCallerData()).thenDocument(CLAIM, null);
  givenEvents(guestsProjection, ending(), recorded(), withCallerData()).thenDocument(CLAIM, null);
});
