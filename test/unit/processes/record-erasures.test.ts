import { test } from 'bun:test';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { recordErasures } from '../../../src/processes/record-erasures/process-manager.ts';
import { CONFIRMED, LATER } from '../../support/booking-life.ts';
import { claimId } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { positionAt, recorder } from '../../support/recorded.ts';

const ERASED: BookingEvent = { type: 'GuestErased', data: { records: [claimId('c')], by: 'operator', at: LATER } };

test('each erasure of the log is recorded with its place', () => {
  const log = recorder();
  const confirmed = CONFIRMED.map((event) => log('booking-bk_1', event));
  const events = [...confirmed, log('booking-bk_1', ERASED), log('bookingtest-bkt_2', ERASED)];
  const [first, second] = [
    { type: 'RecordErasure', erasure: { booking: 'bk_1', position: positionAt(4), at: LATER } },
    { type: 'RecordErasure', erasure: { booking: 'bkt_2', position: positionAt(5), at: LATER } },
  ] as const;
  givenEvents(recordErasures, ...events)
    .thenDue(0, [first, second])
    .thenOldestOpen(positionAt(4))
    .whenDone(first)
    .thenDue(0, [second])
    .whenDone(second)
    .thenOldestOpen(null);
});
