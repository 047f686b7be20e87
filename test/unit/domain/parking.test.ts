import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type ParkingEvent, parkingDecider } from '../../../src/domain/parking/parking.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { faultText, type LeftOut, MAX_PARKED } from '../../../src/eventsourcing/parked.ts';
import { decidedTwice } from '../../support/decided-twice.ts';
import { given } from '../../support/given.ts';

const AT = '2026-11-21T03:00:00.000Z';
const FAULT = 'TypeError: claims is undefined';
const WHY = { by: 'mai', reason: 'another program wrote it', at: AT } as const;

const facts = (id: string) =>
  ({
    id,
    stream: 'booking-0',
    revision: 3,
    position: '07',
    type: 'BookingConfirmed.v3',
    after: '05',
    fault: FAULT,
  }) as const;
const event = (id: string): LeftOut => ({ kind: 'event', ...facts(id) });
const due = (id: string, upTo: string) => ({ id, attempts: 8, after: '05', upTo, fault: FAULT }) as const;
const command = (id: string, upTo: string): LeftOut => ({ kind: 'command', ...due(id, upTo) });
const park = (leftOut: LeftOut) => ({ type: 'Park', leftOut, at: AT }) as const;
const retry = (item: string) => ({ type: 'Retry', item, ...WHY }) as const;
const skip = (item: string) => ({ type: 'Skip', item, ...WHY }) as const;
const resume = (item: string) => ({ type: 'Resume', item, at: AT }) as const;

const eventParked = (id: string): ParkingEvent => ({ type: 'EventParked', data: { ...facts(id), at: AT } });
const commandParked = (id: string, upTo: string): ParkingEvent => ({
  type: 'CommandParked',
  data: { ...due(id, upTo), at: AT },
});
const retried = (item: string): ParkingEvent => ({ type: 'ParkedRetried', data: { item, ...WHY } });
const skipped = (item: string): ParkingEvent => ({ type: 'ParkedSkipped', data: { item, ...WHY } });
const resumed = (item: string): ParkingEvent => ({ type: 'ParkedResumed', data: { item, at: AT } });
const full = Array.from({ length: MAX_PARKED }, (_, index) => eventParked(`e${index}`));

describe('what a reader left out', () => {
  test('is parked once, whichever node finds it', () => {
    given(parkingDecider, [])
      .when(park(event('e1')))
      .then([eventParked('e1')]);
    given(parkingDecider, [eventParked('e1'), skipped('e1')])
      .when(park(event('e1')))
      .thenNothing();
  });

  test('is parked again if a retry fails', () => {
    given(parkingDecider, [eventParked('e1'), retried('e1')])
      .when(park(event('e1')))
      .then([eventParked('e1')]);
    given(parkingDecider, [eventParked('e1'), retried('e1'), resumed('e1')])
      .when(park(event('e1')))
      .then([eventParked('e1')]);
  });

  test('is parked again if later events open the command again', () => {
    given(parkingDecider, [commandParked('c1', '09'), skipped('c1')])
      .when(park(command('c1', '12')))
      .then([commandParked('c1', '12')]);
    given(parkingDecider, [commandParked('c1', '09')])
      .when(park(command('c1', '09')))
      .thenNothing();
  });

  test('is skipped or retried with who and why, and a decision can be changed', () => {
    given(parkingDecider, [eventParked('e1')])
      .when(skip('e1'))
      .then([skipped('e1')]);
    given(parkingDecider, [eventParked('e1'), skipped('e1')])
      .when(retry('e1'))
      .then([retried('e1')]);
    given(parkingDecider, [eventParked('e1'), retried('e1')])
      .when(skip('e1'))
      .then([skipped('e1')]);
    given(parkingDecider, []).when(skip('e1')).thenRejected({ code: 'NOT_PARKED' });
    given(parkingDecider, []).when(retry('e1')).thenRejected({ code: 'NOT_PARKED' });
  });

  test('resumes only after a retry', () => {
    given(parkingDecider, [eventParked('e1'), retried('e1')])
      .when(resume('e1'))
      .then([resumed('e1')]);
    given(parkingDecider, [eventParked('e1')])
      .when(resume('e1'))
      .thenNothing();
    expect([...fold(parkingDecider, [eventParked('e1'), retried('e1'), resumed('e1')]).keys()]).toEqual([]);
  });

  test(`is at most ${MAX_PARKED} items that wait for an operator`, () => {
    given(parkingDecider, full.slice(1))
      .when(park(event('one more')))
      .then([eventParked('one more')]);
    given(parkingDecider, full)
      .when(park(event('one more')))
      .thenRejected({ code: 'PARKING_FULL' });
    given(parkingDecider, [...full, skipped('e7')])
      .when(park(event('one more')))
      .then([eventParked('one more')]);
  });

  test('is kept with its facts, the time and the decision', () => {
    const items = fold(parkingDecider, [eventParked('e1'), eventParked('e2'), skipped('e1')]);
    expect([...items.values()]).toEqual([
      { ...event('e1'), status: 'skipped', parkedAt: AT, decision: WHY },
      { ...event('e2'), status: 'parked', parkedAt: AT, decision: null },
    ]);
  });

  test('is decided the same twice', () => {
    const ids = fc.constantFrom('e1', 'e2');
    const upTo = fc.constantFrom('09', '12');
    decidedTwice(
      parkingDecider,
      fc.oneof(
        ids.map((id) => park(event(id))),
        upTo.map((position) => park(command('c1', position))),
        ids.map(retry),
        ids.map(skip),
        ids.map(resume),
      ),
    );
  });
});

test('the text of a fault quotes no data of an event', () => {
  expect(faultText(new TypeError('unreachable: {"email":"a@example.com"}'))).toBe('TypeError: unreachable:');
  expect(faultText('x'.repeat(1_000))).toHaveLength(300);
});
