import { describe, expect, test } from 'bun:test';
import { bookingDecider } from '../../../src/domain/booking/decider.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import {
  CHARGED,
  cancel,
  cancelled,
  confirm,
  modified,
  PLACED,
  refunded,
  VOUCHER,
  verify,
  visited,
  withoutFacts,
} from '../../support/booking-life.ts';
import { confirmation } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const FEWER = { changes: { numChildren: { from: 1, to: 0 } }, numChildren: 0, numGuests: 2 };

describe('a booking whose first public event an earlier version stored', () => {
  const old = [withoutFacts(confirmation()), CHARGED, VOUCHER];

  test('stores the next ones without the facts too, so that all have their place in the feed from records', () => {
    given(bookingDecider, old)
      .when(verify())
      .then([withoutFacts(visited())]);
    given(bookingDecider, old)
      .when(cancel())
      .then([withoutFacts(cancelled()), refunded(207_000)]);
  });

  test('is one whose request was modified, too', () => {
    const state = fold(bookingDecider, [PLACED, withoutFacts(modified(FEWER))]);
    const decision = bookingDecider.decide(confirm(), state);
    const [first] = decision.kind === 'accepted' ? decision.events : ([] as readonly BookingEvent[]);
    expect(first?.type).toBe('BookingConfirmed');
    expect(first?.data).not.toHaveProperty('publicFacts');
  });
});
