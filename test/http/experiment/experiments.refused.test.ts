import { afterAll, beforeAll, expect, test } from 'bun:test';
import { AN_EXPERIMENT } from '../../support/experiments.ts';
import { openService, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

const [DEFAULT, STEEP] = AN_EXPERIMENT.arms;

test.each<[string, object, string, string]>([
  [
    'one arm',
    { arms: [DEFAULT] },
    'INVALID_REQUEST',
    'arms must be a list of two arms, each {"name": lower-case letters, digits, "." and "-", at most 30, "share": 1 to 99, "ground_truth_power": 0.25 to 8, "exploration_percent": 0 to 50}; it was [{"name":"default","share":50}].',
  ],
  [
    'an unknown member of an arm',
    { arms: [DEFAULT, { ...STEEP, weights: {} }] },
    'INVALID_REQUEST',
    'unknown field "arms[1].weights"; the fields here are name, share, ground_truth_power, exploration_percent.',
  ],
  [
    'shares that are not 100 together',
    { arms: [DEFAULT, { ...STEEP, share: 40 }] },
    'INVALID_REQUEST',
    'arms: the shares are 90 together; send two shares whose sum is 100.',
  ],
  [
    'two arms of one name',
    { arms: [STEEP, STEEP] },
    'INVALID_REQUEST',
    'arms: both are named "power-4"; send two names.',
  ],
  [
    'the present model with parameters',
    { arms: [{ ...DEFAULT, ground_truth_power: 2 }, STEEP] },
    'INVALID_REQUEST',
    'arms: "default" is the present model; leave its parameters out, or send another name.',
  ],
  [
    'two arms that do not differ',
    { arms: [DEFAULT, { name: 'same', share: 50, ground_truth_power: 3 }] },
    'INVALID_REQUEST',
    'arms: both have the same parameters; send another ground_truth_power or exploration_percent in one of them.',
  ],
  [
    'an end in the past',
    { ends_at: '2026-11-21T03:00:00Z' },
    'INVALID_DATE',
    'ends_at must lie in the future, at most 180 days ahead (2027-05-20T03:00:00.000Z); it was "2026-11-21T03:00:00Z".',
  ],
  [
    'an end after 180 days',
    { ends_at: '2027-05-20T03:00:01Z' },
    'INVALID_DATE',
    'ends_at must lie in the future, at most 180 days ahead (2027-05-20T03:00:00.000Z); it was "2027-05-20T03:00:01Z".',
  ],
  [
    'no stop rule',
    { ends_at: undefined },
    'INVALID_REQUEST',
    'ends_at and answers_per_arm are missing; send one of them or both, as the stop rule.',
  ],
  [
    'no reason',
    { reason: undefined },
    'INVALID_REQUEST',
    'reason is missing; it must be a text of 1 to 200 characters in one line.',
  ],
])('an experiment is refused: %s', async (_, change, code, error) => {
  const request = { ...AN_EXPERIMENT, ...change };
  const { status, refusal } = await service.post('/api/ops/experiments', request, service.admin);
  expect([status, refusal.code, refusal.error]).toEqual([400, code, error]);
  expect((await service.events()).filter(({ stream }) => stream === 'experiment-all')).toEqual([]);
});
