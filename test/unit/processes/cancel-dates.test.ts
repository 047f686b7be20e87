import { describe, test } from 'bun:test';
import type { AllotmentEvent } from '../../../src/domain/allotment/events.ts';
import { type CancelDatesCommand, cancelDates } from '../../../src/processes/cancel-dates/process-manager.ts';
import { allotment, commandId, fingerprint } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { positionAt, recorder } from '../../support/recorded.ts';

const AT = '2026-12-23T22:10:00.000Z';
const NOW_MS = Date.parse(AT);
const cancelled: AllotmentEvent = {
  type: 'DateCancelled',
  data: {
    command: commandId('STORM'),
    fingerprint: fingerprint('FP'),
    reason: 'weather',
    bookings: 2,
    places: 4,
    holds: 0,
    at: AT,
  },
};
const finished: AllotmentEvent = { type: 'DateCancellationFinished', data: { command: commandId('STORM'), at: AT } };
const settled: AllotmentEvent = {
  type: 'DateBookingSettled',
  data: { command: commandId('STORM'), booking: 'bk_1' as never, outcome: 'gone', refundMinor: 0 },
};

describe('a cancelled date', () => {
  test('is continued for its operator until it has finished, dates in the order of their cancellation', () => {
    const recorded = recorder();
    const first = recorded('allotment-river-walk-2026-12-24', cancelled);
    const second = recorded('allotment-dawn-walk-2026-12-24', cancelled);
    const command = ({ cause, id, position }: typeof first, name: string): CancelDatesCommand => ({
      type: 'ContinueCancellation',
      allotmentId: allotment(name),
      cause: { correlationId: cause.correlationId, causationId: id, by: cause.by },
      position,
    });
    givenEvents(cancelDates, first, second, recorded('allotment-river-walk-2026-12-24', settled))
      .thenDue(NOW_MS, [command(first, 'river-walk-2026-12-24'), command(second, 'dawn-walk-2026-12-24')])
      .thenOldestOpen(positionAt(1));
  });

  test('needs nothing more when it has finished', () => {
    const recorded = recorder();
    const stream = 'allotment-river-walk-2026-12-24';
    givenEvents(cancelDates, recorded(stream, cancelled), recorded(stream, finished))
      .thenDue(NOW_MS, [])
      .thenOldestOpen(null);
  });
});
