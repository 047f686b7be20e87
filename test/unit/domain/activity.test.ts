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

const overridden: ActivityEvent = { type: 'ActivityOverridden', data: { activity: dearer, digest: 'd2' } };
const withdrawn: ActivityEvent = { type: 'OverrideWithdrawn', data: {} };

const list = (activity: typeof aquarium, digest: string) => ({ type: 'ListActivity', activity, digest }) as const;
const retire = { type: 'RetireActivity' } as const;
const override = (activity: typeof aquarium, digest: string) =>
  ({ type: 'OverrideActivity', activity, digest }) as const;
const withdraw = { type: 'WithdrawOverride' } as const;

describe('listing an activity', () => {
  test('for the first time lists it', () => {
    given(activityDecider, []).when(list(aquarium, 'd1')).then([listed]);
  });

  test('unchanged adds no event', () => {
    given(activityDecider, [listed]).when(list(aquarium, 'd1')).thenNothing();
  });

  test('with a change updates it', () => {
    given(activityDecider, [listed]).when(list(dearer, 'd2')).then([updated]);
  });

  test('in an earlier form is a change too', () => {
    given(activityDecider, [listed, updated])
      .when(list(aquarium, 'd1'))
      .then([{ type: 'ActivityUpdated', data: { activity: aquarium, digest: 'd1' } }]);
  });

  test('after it was retired lists it again, changed or not', () => {
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

  test('that is already retired adds no event', () => {
    given(activityDecider, [listed, retired]).when(retire).thenNothing();
  });

  test('that was never listed adds no event', () => {
    given(activityDecider, []).when(retire).thenNothing();
  });
});

describe('overriding an activity', () => {
  const changed: ActivityEvent = { type: 'ActivityOverridden', data: { activity: aquarium, digest: 'd1' } };

  test("replaces the catalogue's version by the operator's", () => {
    given(activityDecider, [listed]).when(override(dearer, 'd2')).then([overridden]);
  });

  test('lists an activity that the catalogue does not contain, or no longer contains', () => {
    given(activityDecider, []).when(override(dearer, 'd2')).then([overridden]);
    given(activityDecider, [listed, retired]).when(override(dearer, 'd2')).then([overridden]);
  });

  test('with the same content adds no event, with other content adds one', () => {
    given(activityDecider, [listed, overridden]).when(override(dearer, 'd2')).thenNothing();
    given(activityDecider, [listed, overridden]).when(override(aquarium, 'd1')).then([changed]);
  });

  test('with the content of the catalogue still applies after the catalogue changes', () => {
    given(activityDecider, [listed]).when(override(aquarium, 'd1')).then([changed]);
  });

  test('does not stop recording changes of the catalogue', () => {
    given(activityDecider, [listed, overridden]).when(list(aquarium, 'd1')).thenNothing();
    given(activityDecider, [listed, overridden]).when(list(dearer, 'd2')).then([updated]);
    given(activityDecider, [listed, overridden]).when(retire).then([retired]);
    given(activityDecider, [listed, overridden, retired]).when(retire).thenNothing();
    given(activityDecider, [overridden]).when(retire).thenNothing();
    given(activityDecider, [overridden])
      .when(list(aquarium, 'd1'))
      .then([{ type: 'ActivityUpdated', data: { activity: aquarium, digest: 'd1' } }]);
  });
});

describe('withdrawing an override', () => {
  test('happens once', () => {
    given(activityDecider, [listed, overridden]).when(withdraw).then([withdrawn]);
    given(activityDecider, [listed, overridden, withdrawn]).when(withdraw).thenNothing();
  });

  test('adds no event if there is no override', () => {
    given(activityDecider, []).when(withdraw).thenNothing();
    given(activityDecider, [listed]).when(withdraw).thenNothing();
  });

  test('allows another override afterwards', () => {
    given(activityDecider, [listed, overridden, withdrawn]).when(override(dearer, 'd2')).then([overridden]);
  });
});

describe('a catalogue entry', () => {
  test("is the operator's during an override, and the current catalogue's afterwards", () => {
    const catalogue = { activity: aquarium, digest: 'd3' };
    const events: readonly ActivityEvent[] = [listed, overridden, { type: 'ActivityUpdated', data: catalogue }];
    expect(fold(activityDecider, events)).toStrictEqual({
      status: 'overridden',
      activity: dearer,
      digest: 'd2',
      catalogue,
    });
    expect(fold(activityDecider, [...events, withdrawn])).toStrictEqual({ status: 'listed', ...catalogue });
  });

  test("keeps the catalogue's version when the operator changes the override", () => {
    expect(fold(activityDecider, [listed, overridden, overridden, withdrawn])).toStrictEqual({
      status: 'listed',
      activity: aquarium,
      digest: 'd1',
    });
  });

  test('is retired, with its last facts, when an override ends and the catalogue does not contain it', () => {
    const gone = { status: 'retired', activity: dearer, digest: 'd2' } as const;
    expect(fold(activityDecider, [listed, overridden, retired])).toMatchObject({ status: 'overridden' });
    expect(fold(activityDecider, [listed, overridden, retired, withdrawn])).toStrictEqual(gone);
    expect(fold(activityDecider, [overridden, withdrawn])).toStrictEqual(gone);
  });

  test('keeps its facts when it is retired, because old bookings still show its venue', () => {
    expect(fold(activityDecider, [listed, updated, retired])).toStrictEqual({
      status: 'retired',
      activity: dearer,
      digest: 'd2',
    });
  });

  test('does not exist before it is listed', () => {
    expect(fold(activityDecider, [retired])).toStrictEqual({ status: 'none' });
  });
});
