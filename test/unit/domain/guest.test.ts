import { describe, expect, test } from 'bun:test';
import { type GuestCommand, type GuestEvent, guestDecider, guestId } from '../../../src/domain/guest/guest.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { bookingId, claimId, fingerprint } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const guest = { name: 'Nguyễn Thị Ánh', email: 'anh@example.com', specialRequests: 'A table by the window.' };

const record = (print: string): GuestCommand => ({
  type: 'RecordGuest',
  bookingId: bookingId('bk_1'),
  fingerprint: fingerprint(print),
  guest,
});

const recorded: GuestEvent = {
  type: 'GuestRecorded',
  data: { booking: bookingId('bk_1'), fingerprint: fingerprint('GUEST1'), ...guest },
};

describe('recording a guest', () => {
  test('stores the details with booking and fingerprint', () => {
    given(guestDecider, []).when(record('GUEST1')).then([recorded]);
  });

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

test('a guest stream is named after the claim', () => {
  expect(guestId(claimId('claim_1'))).toBe('claim_1');
});
