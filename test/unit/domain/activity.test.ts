import { describe, expect, test } from 'bun:test';
import { type ActivityEvent, activityDecider } from '../../../src/domain/activity/decider.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { anActivity } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const aquarium = anActivity();
const dearer = anActivity({ priceMinor: 109_000 });

const listed: ActivityEvent = { type: 'ActivityListed', data: { activity: aquarium, digest: 'd1' } };
const updated: ActivityEvent = { type: 'ActivityUpdated', data: { activity: dearer, digest: 'd2' } };
const retired: ActivityEvent = { type: 'ActivityRetired', data: {} };

const list = (activity: typeof aquarium, digest: string) => ({ type: 'ListActivity', activity, digest }) as const;
const retire = { type: 'RetireActivity' } as const;

describe('listing an activity', () => {
  test('for the first time lists it', () => {
    given(activityDecider, []).when(list(aquarium, 'd1')).then([listed]);
  });

  test('as it is already is nothing', () => {
    given(activityDecider, [listed]).when(list(aquarium, 'd1')).thenNothing();
  });

  test('with a change updates it', () => {
    given(activityDecider, [listed]).when(list(dearer, 'd2')).then([updated]);
  });

  test('as it was before its last change is a change too', () => {
    given(activityDecider, [listed, updated])
      .when(list(aquarium, 'd1'))
      .then([{ type: 'ActivityUpdated', data: { activity: aquarium, digest: 'd1' } }]);
  });

  test('after it was retired brings it back, unchanged or not', () => {
    given(activityDecider, [listed, retired])
      .when(list(aquarium, 'd1'))
      .then([{ type: 'ActivityUpdated', data: { activity: aquarium, digest: 'd1' } }]);
    given(activityDecider, [listed, retired]).when(list(dearer, 'd2')).then([updated]);
  });
});

describe('retiring an activity', () => {
  test('takes it out of the catalogue', () => {
    given(activityDecider, [listed]).when(retire).then([retired]);
  });

  test('that is retired already is nothing', () => {
    given(activityDecider, [listed, retired]).when(retire).thenNothing();
  });

  test('that was never listed is nothing', () => {
    given(activityDecider, []).when(retire).thenNothing();
  });
});

describe('a catalogue entry', () => {
  test('keeps its facts when it is retired: old bookings still show its venue', () => {
    expect(fold(activityDecider, [listed, updated, retired])).toStrictEqual({
      status: 'retired',
      activity: dearer,
      digest: 'd2',
    });
  });

  test('is none before it was listed', () => {
    expect(fold(activityDecider, [retired])).toStrictEqual({ status: 'none' });
  });
});
