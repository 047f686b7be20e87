import { describe, expect, test } from 'bun:test';
import {
  type GuestCommand,
  type GuestDetails,
  type GuestEvent,
  guestDecider,
  guestId,
  NO_CALLER_DATA,
} from '../../../src/domain/guest/guest.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { bookingId, claimId, fingerprint } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const person = { name: 'Nguyễn Thị Ánh', email: 'anh@example.com', specialRequests: 'A table by the window.' };

const CALLERS = { reference: 'trip-42', metadata: { room: '1204' } };
const guest: GuestDetails = { ...person, ...NO_CALLER_DATA };

const record = (print: string, of = guest): GuestCommand => ({
  type: 'RecordGuest',
  bookingId: bookingId('bk_1'),
  fingerprint: fingerprint(print),
  guest: of,
});

const recorded: GuestEvent = {
  type: 'GuestRecorded',
  data: { booking: bookingId('bk_1'), fingerprint: fingerprint('GUEST1'), ...person },
};

describe('recording a guest', () => {
  test('stores the details with booking and fingerprint', () => {
    given(guestDecider, []).when(record('GUEST1')).then([recorded]);
  });

  test.each([CALLERS, { reference: 'trip-42', metadata: {} }, { reference: null, metadata: { room: '1204' } }])(
    'stores the data of the caller with it: %j',
    (callers) => {
      given(guestDecider, [])
        .when(record('GUEST1', { ...guest, ...callers }))
        .then([recorded, { type: 'CallerDataRecorded', data: callers }]);
    },
  );

  test('again with the same details adds no event', () => {
    given(guestDecider, [recorded]).when(record('GUEST1')).thenNothing();
  });

  test('with other details is refused', () => {
    given(guestDecider, [recorded]).when(record('GUEST2')).thenRejected({ code: 'GUEST_DIFFERS' });
  });
});

test('the state of a guest is the details and their fingerprint', () => {
  expect(fold(guestDecider, [recorded])).toStrictEqual({
    status: 'recorded',
    fingerprint: fingerprint('GUEST1'),
    details: guest,
  });
});

test('the state of a guest includes the data of the caller', () => {
  expect(fold(guestDecider, [recorded, { type: 'CallerDataRecorded', data: CALLERS }])).toMatchObject({
    details: { ...person, ...CALLERS },
  });
});

test('a guest stream is named after the claim', () => {
  expect(guestId(claimId('claim_1'))).toBe('claim_1');
});
