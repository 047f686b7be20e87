import { test } from 'bun:test';
import { activitiesProjection } from '../../../projections/activities/projection.ts';
import type { ActivityDocument } from '../../../projections/activities/read-model.ts';
import type { ActivityEvent } from '../../../src/domain/activity/decider.ts';
import { anActivity } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { recorder } from '../../support/recorded.ts';

const ID = 'bkk-ocean-world';
/** The n-th event is stored in the n-th minute; operators are named after the minute. */
const at = (minute: number): string => `2026-11-21T03:0${minute}:00.000Z`;

const [plain, dearer, small] = [anActivity(), anActivity({ priceMinor: 109_000 }), anActivity({ capacity: 4 })];
const listed: ActivityEvent = { type: 'ActivityListed', data: { activity: plain, digest: 'd1' } };
const updated: ActivityEvent = { type: 'ActivityUpdated', data: { activity: dearer, digest: 'd2' } };
const retired: ActivityEvent = { type: 'ActivityRetired', data: {} };
const overridden: ActivityEvent = { type: 'ActivityOverridden', data: { activity: small, digest: 'd3' } };
const withdrawn: ActivityEvent = { type: 'OverrideWithdrawn', data: {} };

function given(...events: readonly ActivityEvent[]) {
  const record = recorder();
  const recorded = events.map((event, minute) =>
    record<ActivityEvent>(`activity-${ID}`, event, { at: at(minute), by: `operator ${minute}` }),
  );
  const folded = givenEvents(activitiesProjection, ...recorded);
  return { is: (document: ActivityDocument) => folded.thenDocument(ID, document) };
}

test('without an override the catalogue entry is effective, from the time of its event', () => {
  given(listed).is({ activity: plain, revision: 0, listed: true, updatedAt: at(0), override: null });
  given(listed, updated).is({ activity: dearer, revision: 1, listed: true, updatedAt: at(1), override: null });
  given(listed, retired).is({ activity: plain, revision: 1, listed: false, updatedAt: at(1), override: null });
});

test('an override replaces the catalogue entry and records operator and time', () => {
  const override = { by: 'operator 1', at: at(1), catalogue: plain };
  const document = { activity: small, revision: 1, listed: true, updatedAt: at(1), override };
  given(listed, overridden).is(document);
  const catalogue = { ...override, catalogue: dearer };
  given(listed, overridden, updated).is({ ...document, revision: 2, override: catalogue });
  given(listed, overridden, retired).is({ ...document, revision: 2, override: { ...override, catalogue: null } });
  const again = { by: 'operator 2', at: at(2), catalogue: plain };
  given(listed, overridden, overridden).is({ ...document, revision: 2, updatedAt: at(2), override: again });
});

test('an operator can list an activity that the catalogue does not contain', () => {
  const document = { activity: small, listed: true };
  const override = { by: 'operator 0', at: at(0), catalogue: null };
  given(overridden).is({ ...document, revision: 0, updatedAt: at(0), override });
  const later = { by: 'operator 2', at: at(2), catalogue: null };
  given(listed, retired, overridden).is({ ...document, revision: 2, updatedAt: at(2), override: later });
});

test('withdrawing an override restores the current catalogue entry, or retires the activity without one', () => {
  const document = { revision: 3, updatedAt: at(3), override: null };
  given(listed, overridden, updated, withdrawn).is({ ...document, activity: dearer, listed: true });
  given(listed, overridden, retired, withdrawn).is({ ...document, activity: small, listed: false });
  given(overridden, withdrawn).is({ ...document, activity: small, listed: false, revision: 1, updatedAt: at(1) });
});
