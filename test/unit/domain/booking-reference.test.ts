import { expect, test } from 'bun:test';
import { bookingDecider } from '../../../src/domain/booking/decider.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { book, CONFIRMED, confirm, PLACED, placeOnRequest, STARTED, start } from '../../support/booking-life.ts';
import { fingerprint } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const reference = fingerprint('REFERENCE1');
const RECORDED: BookingEvent = { type: 'ReferenceRecorded', data: { reference } };

test.each([
  ['started', { ...start(), reference }, [STARTED]],
  ['placed on request', { ...placeOnRequest(), reference }, [PLACED]],
  ['confirmed', { ...book(), reference }, CONFIRMED],
] as const)('a booking that is %s first records the reference, in the same append', (_, command, events) => {
  given(bookingDecider, [])
    .when(command)
    .then([...events, RECORDED]);
});

test.each([
  ['started', [STARTED, RECORDED], { ...placeOnRequest(), reference }],
  ['started', [STARTED, RECORDED], { ...book(), reference }],
  ['placed on request', [PLACED, RECORDED], confirm()],
] as const)('a booking that was %s records it once', (_, history, command) => {
  const decision = bookingDecider.decide(command, fold(bookingDecider, history));
  const types = decision.kind === 'accepted' ? decision.events.map(({ type }) => type) : [];
  expect(types.length).toBeGreaterThan(0);
  expect(types).not.toContain('ReferenceRecorded');
});

test('the reference does not change what is decided about a booking', () => {
  expect(fold(bookingDecider, [...CONFIRMED, RECORDED])).toEqual(fold(bookingDecider, CONFIRMED));
});
