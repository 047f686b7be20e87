import { describe, test } from 'bun:test';
import fc from 'fast-check';
import { CITY_NAMES } from '../../../src/domain/activity/cities.ts';
import {
  type ExperimentCommand,
  type ExperimentEvent,
  type ExperimentFacts,
  experimentDecider,
} from '../../../src/domain/experiment/experiment.ts';
import { DAY_MS } from '../../../src/eventsourcing/durations.ts';
import { decidedTwice } from '../../support/decided-twice.ts';
import { experiment, experimentFacts, experimentId } from '../../support/experiments.ts';
import { given } from '../../support/given.ts';

const FIRST = experimentId('exp_1');
const SECOND = experimentId('exp_2');
const FIRST_END_MS = experimentFacts().stop.endsAtMs;
const FIRST_END = new Date(FIRST_END_MS).toISOString();

const started = (change: Partial<ExperimentFacts> = {}): ExperimentEvent => {
  return { type: 'ExperimentStarted', data: experimentFacts(change) };
};
const start = (change: Partial<ExperimentFacts> = {}): ExperimentCommand => {
  return { type: 'StartExperiment', facts: experimentFacts({ experimentId: SECOND, ...change }) };
};
const BY_OPERATOR = { why: 'operator', by: 'admin', at: '2026-11-25T03:00:00.000Z' } as const;
const end = (change: Partial<Extract<ExperimentCommand, { type: 'EndExperiment' }>> = {}): ExperimentCommand => {
  return { type: 'EndExperiment', experimentId: FIRST, ...BY_OPERATOR, ...change };
};
const ended = (
  change: Partial<Extract<ExperimentEvent, { type: 'ExperimentEnded' }>['data']> = {},
): ExperimentEvent => {
  return { type: 'ExperimentEnded', data: { experimentId: FIRST, ...BY_OPERATOR, ...change } };
};
const BY_STOP_RULE = { why: 'stop rule', by: 'experiments', at: FIRST_END } as const;

describe('an experiment', () => {
  test('starts if none runs, also beside one in another city', () => {
    given(experimentDecider, [])
      .when(start())
      .then([started({ experimentId: SECOND })]);
    given(experimentDecider, [started({ city: 'Hanoi' })])
      .when(start())
      .then([started({ experimentId: SECOND })]);
  });

  test.each([
    ['Bangkok', 'Bangkok'],
    [null, 'Bangkok'],
    ['Bangkok', null],
    [null, null],
  ] as const)('that runs in %p excludes one in %p', (city, other) => {
    given(experimentDecider, [started({ city })])
      .when(start({ city: other }))
      .thenRejected({ code: 'EXPERIMENT_RUNNING', running: experiment({ city }) });
  });

  test('that has ended excludes none', () => {
    given(experimentDecider, [started(), ended()])
      .when(start())
      .then([started({ experimentId: SECOND })]);
  });

  test('in each city is the maximum: every further one is refused, wherever it shall run', () => {
    const idOf = (number: number) => experimentId(`exp_of_city_${number}`);
    const all = CITY_NAMES.map((city, number) => started({ city, experimentId: idOf(number) }));
    for (const [number, city] of [...CITY_NAMES, null].entries())
      given(experimentDecider, all)
        .when(start({ city }))
        .thenRejected({
          code: 'EXPERIMENT_RUNNING',
          running: experiment({ city: city ?? 'Bangkok', experimentId: idOf(city === null ? 0 : number) }),
        });
  });

  test('whose time has passed is ended by the start of the next one, at the end of its time', () => {
    const at = new Date(FIRST_END_MS + DAY_MS).toISOString();
    given(experimentDecider, [started()])
      .when(start({ at }))
      .then([ended(BY_STOP_RULE), started({ experimentId: SECOND, at })]);
    const last = new Date(FIRST_END_MS - 1).toISOString();
    given(experimentDecider, [started()])
      .when(start({ at: last }))
      .thenRejected({ code: 'EXPERIMENT_RUNNING', running: experiment() });
  });

  test('is ended by the operator, once', () => {
    given(experimentDecider, [started()]).when(end()).then([ended()]);
    given(experimentDecider, [started(), ended(BY_STOP_RULE)])
      .when(end())
      .thenNothing();
  });

  test('is ended by its stop rule if the operator comes after its time', () => {
    const late = new Date(FIRST_END_MS).toISOString();
    given(experimentDecider, [started()])
      .when(end({ at: late }))
      .then([ended(BY_STOP_RULE)]);
  });

  test('that does not exist cannot be ended', () => {
    given(experimentDecider, [started()])
      .when(end({ experimentId: SECOND }))
      .thenRejected({ code: 'EXPERIMENT_NOT_FOUND' });
  });

  test('a command decided twice adds nothing the second time', () => {
    const id = fc.constantFrom(FIRST, SECOND, experimentId('exp_3'));
    const at = fc.constantFrom('2026-11-21T03:00:00.000Z', '2026-11-25T03:00:00.000Z', FIRST_END);
    const city = fc.constantFrom('Bangkok' as const, 'Hanoi' as const, null);
    decidedTwice(
      experimentDecider,
      fc.oneof(
        fc
          .record({ experimentId: id, city, at })
          .map((change) => ({ type: 'StartExperiment' as const, facts: experimentFacts(change) })),
        fc.record({
          type: fc.constant('EndExperiment' as const),
          experimentId: id,
          why: fc.constantFrom('operator' as const, 'stop rule' as const),
          by: fc.constant('admin'),
          at,
        }),
      ),
    );
  });
});
