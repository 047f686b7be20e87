import { describe, expect, test } from 'bun:test';
import { revocationsProjection } from '../../../projections/revocations/projection.ts';
import { addDays } from '../../../src/domain/activity/schedule.ts';
import { cancelled, modified, SUBJECT } from '../../support/booking-life.ts';
import { bookingId, date } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { recorder } from '../../support/recorded.ts';

const { venueId, date: first } = SUBJECT;
const second = addDays(first, 1);
const log = recorder();
const moved = (from: typeof first, to: typeof first, version: number) =>
  log('booking-bk_1', modified({ changes: { date: { from, to } }, date: to, version }));
const cancellation = (day = first) => log('booking-bk_1', cancelled({ date: day }));
const idOn = (day: string) => `${venueId}/${day}/bk_1`;
const docOn = (day: string, revision: number | null, isCancelled = false) => {
  return { venueId, date: date(day), bookingId: bookingId('bk_1'), revision, cancelled: isCancelled };
};

describe('a voucher is revoked', () => {
  test('by a cancellation, on its date', () => {
    givenEvents(revocationsProjection, cancellation()).thenDocument(idOn(first), docOn(first, null, true));
  });

  test('up to a change of the guests', () => {
    for (const changes of [{ numAdults: { from: 2, to: 1 } }, { numChildren: { from: 1, to: 0 } }])
      givenEvents(revocationsProjection, log('booking-bk_1', modified({ changes, version: 4 }))).thenDocument(
        idOn(first),
        docOn(first, 4),
      );
  });

  test('on the old date and on the new one by a move, also if the booking moves back and is cancelled', () => {
    givenEvents(revocationsProjection, moved(first, second, 2))
      .thenDocument(idOn(first), docOn(first, 2))
      .thenDocument(idOn(second), docOn(second, 2));
    givenEvents(revocationsProjection, moved(first, second, 2), moved(second, first, 3), cancellation())
      .thenDocument(idOn(first), docOn(first, 3, true))
      .thenDocument(idOn(second), docOn(second, 3));
  });

  test('not by a change of the guest’s data', () => {
    const renamed = log('booking-bk_1', modified({ changes: { guest: ['name'] } }));
    expect(revocationsProjection.idsOf(renamed)).toEqual([]);
  });
});
