import { describe, expect, test } from 'bun:test';
import type { StateForm } from '../../../src/actors/state-form.ts';
import { SNAPSHOTS } from '../../../src/application/snapshots.ts';
import { activityDecider } from '../../../src/domain/activity/decider.ts';
import { allotmentDecider } from '../../../src/domain/allotment/decider.ts';
import { endpointDecider } from '../../../src/domain/endpoint/decider.ts';
import { spendingDecider } from '../../../src/domain/spending/decider.ts';
import type { DomainEvent } from '../../../src/eventsourcing/message.ts';
import { STORED_EVENTS } from '../../contract/stored-events/stored-events.ts';

/** The version of each state, and the digest of its encoded states after each event of the history below. */
const GOLDEN: Readonly<Record<string, string>> = {
  activity: '1 942aff31c76ecf01',
  allotment: '4 7f199d8b88cac596',
  endpoint: '1 1227efc6501d7572',
  spending: '1 fcf3c8569fcd6c7f',
};

const EXPLANATION = `
The states that "evolve" makes of the same events have changed, or their encoding.
A snapshot of the present version would be read with the wrong meaning. Raise the version of this category in
src/application/snapshots.ts, then put the new version and digest into GOLDEN of this test.
`;

type Kind = {
  readonly form: StateForm<unknown>;
  readonly initial: unknown;
  readonly evolve: (state: unknown, event: DomainEvent) => unknown;
};

/** The decider of each category. Its types are those of its own events and state. */
const KINDS = {
  activity: { form: SNAPSHOTS.activity, ...activityDecider },
  allotment: { form: SNAPSHOTS.allotment, ...allotmentDecider },
  endpoint: { form: SNAPSHOTS.endpoint, ...endpointDecider },
  spending: { form: SNAPSHOTS.spending, ...spendingDecider },
} as unknown as Readonly<Record<keyof typeof SNAPSHOTS, Kind>>;

/** The order in which the golden events of a category happen, some of them with other data. */
const HISTORIES: Readonly<Record<keyof typeof SNAPSHOTS, readonly (string | readonly [string, object])[]>> = {
  activity: [
    'ActivityListed.v1',
    'ActivityUpdated.v1',
    'ActivityOverridden.v1',
    'ActivityUpdated.v2',
    'OverrideWithdrawn.v1',
    'ActivityRetired.v1',
    'ActivityListed.v2',
  ],
  allotment: [
    'AllotmentOpened.v1',
    'SlotsClaimed.v1',
    ['SlotsClaimed.v2', { claim: 'claim_2', booking: 'bk_2', size: 2 }],
    'SlotsHeld.v1',
    ['SlotsHeld.v1', { hold: 'hold_2', size: 1 }],
    'ScheduleFollowed.v1',
    ['HoldTaken.v1', { claim: 'claim_3', booking: 'bk_3' }],
    'ClaimShrunk.v1',
    'CapacitySet.v1',
    ['PriceSet.v1', { unitPriceMinor: 99_000 }],
    'FlashDealStarted.v1',
    ['SlotsReleased.v1', { size: 1 }],
    ['SlotsReleased.v1', { claim: 'hold_2', size: 1 }],
    ['SlotsClaimed.v3', { claim: 'claim_4', booking: 'bk_4' }],
    ['SlotsHeld.v2', { hold: 'hold_3' }],
    ['HoldTaken.v2', { hold: 'hold_3', claim: 'claim_5', booking: 'bk_5' }],
    ['ClaimPaid.v1', { claim: 'claim_4' }],
    ['FlashDealEnded.v1', { because: 'operator' }],
    'DateCancelled.v1',
    ['DateBookingSettled.v1', { booking: 'bk_2' }],
    ['DateBookingSettled.v1', { booking: 'bk_4', outcome: 'visited', refundMinor: 0 }],
    'DateCancellationFinished.v1',
    ['DateCancelled.v1', { command: 'later' }],
  ],
  endpoint: [
    'EndpointFailing.v1',
    'EndpointRecovered.v1',
    'EndpointFailing.v1',
    'EndpointSuspended.v1',
    'SuspensionMailFailed.v1',
    'SuspensionMailed.v1',
    'EndpointEnabled.v1',
  ],
  spending: [
    'SpendingReserved.v1',
    ['SpendingReserved.v1', { claim: 'claim_2', booking: 'bk_2', amountMinor: 5, currency: 'SGD' }],
    'SpendingEased.v1',
    'SpendingWarned.v1',
    'SpendingReleased.v1',
    'SpendingWarningWithdrawn.v1',
    'SpendingWarned.v1',
    'SpendingWarningMailFailed.v1',
    'SpendingWarningMailed.v1',
  ],
};

const CATEGORIES = Object.keys(SNAPSHOTS) as readonly (keyof typeof SNAPSHOTS)[];

function historyOf(category: keyof typeof SNAPSHOTS): readonly DomainEvent[] {
  return HISTORIES[category].map((step) => {
    const [name, change] = typeof step === 'string' ? [step, {}] : step;
    const event = STORED_EVENTS[category]?.[name];
    if (event === undefined) throw new Error(`${category} has no golden event ${name}`);
    return { ...event, data: { ...event.data, ...change } };
  });
}

/** The states before the first event and after each. */
function statesOf(category: keyof typeof SNAPSHOTS): readonly unknown[] {
  const { initial, evolve } = KINDS[category];
  const states = [initial];
  for (const event of historyOf(category)) states.push(evolve(states.at(-1), event));
  return states;
}

describe.each(CATEGORIES)('a snapshot of %s', (category) => {
  const { form, evolve } = KINDS[category];

  test('has another version if evolve or the state has changed', () => {
    const used = HISTORIES[category].map((step) => (typeof step === 'string' ? step : step[0]));
    expect([...new Set(used)].toSorted()).toEqual(Object.keys(STORED_EVENTS[category] ?? {}).toSorted());
    const texts = statesOf(category).map((state) => form.encode(state));
    const digest = new Bun.CryptoHasher('sha256').update(texts.join('\n')).digest('hex').slice(0, 16);
    const found = `${form.version} ${digest}`;
    if (found !== GOLDEN[category]) throw new Error(`${EXPLANATION}${category}: '${found}'`);
  });

  test('goes on from every event as the folded state does', () => {
    const events = historyOf(category);
    const states = statesOf(category).map((state) => form.encode(state));
    for (const [at, text] of states.entries()) {
      let state = form.decode(text);
      const after = events.slice(at).map((event) => form.encode((state = evolve(state, event))));
      expect([text, ...after]).toEqual(states.slice(at));
    }
  });
});
