import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { DAY_MS } from '../../../src/eventsourcing/durations.ts';
import { AN_EXPERIMENT } from '../../support/experiments.ts';
import { recordedInTime } from '../../support/log-of-service.ts';
import { NOW, openService, type Service } from '../../support/service.ts';
import { type AnswerOf, refused } from '../../support/service-answers.ts';

type Started = AnswerOf<'post /api/ops/experiments'>;
type Listed = AnswerOf<'get /api/ops/experiments'>;
type Results = AnswerOf<'get /api/ops/experiments/:id'>;

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.stop());

const start = (change: object = {}) =>
  service.post<Started>('/api/ops/experiments', { ...AN_EXPERIMENT, ...change }, service.admin);
const end = (id: string) => service.post<Started>(`/api/ops/experiments/${id}/end`, {}, service.admin);
const read = (id: string) => service.get<Results>(`/api/ops/experiments/${id}`, service.analyst);

async function listed(): Promise<Listed['items']> {
  await service.documents('experiments');
  return (await service.get<Listed>('/api/ops/experiments', service.analyst)).data.items;
}

/** The types of the events, with the name of who caused them. */
async function happened(): Promise<readonly string[]> {
  const events = (await service.events()).filter(({ stream }) => stream === 'experiment-all');
  return events.map(({ type, cause }) => `${type} by ${cause.by}`);
}

describe('an experiment', () => {
  test('is started, listed and read', async () => {
    const { data } = await start({ answers_per_arm: 500 });
    const model = { ground_truth_power: 3, exploration_percent: 0 };
    const started: Started = {
      id: data.id,
      name: AN_EXPERIMENT.name,
      city: 'Bangkok',
      arms: [
        { name: 'default', share: 50, ...model },
        { name: 'power-4', share: 50, ...model, ground_truth_power: 4 },
      ],
      ends_at: '2026-12-21T03:00:00.000Z',
      answers_per_arm: 500,
      reason: AN_EXPERIMENT.reason,
      started_at: '2026-11-21T03:00:00.000Z',
      started_by: 'admin',
      ended: null,
    };
    expect(data).toEqual(started);
    expect(data.id).toMatch(/^exp_[0-9a-z]{16}$/);
    expect(await listed()).toEqual([started]);
    const none = { answers: 0, booked: 0, confirmed: 0, visited: 0, visits_per_100_answers: null };
    expect((await read(data.id)).data).toEqual({
      ...started,
      results: {
        arms: [
          { name: 'default', ...none },
          { name: 'power-4', ...none },
        ],
        difference: null,
        concluded: false,
        conclusion: 'Not concluded: it runs until 2026-12-21T03:00:00.000Z, or until each arm has 500 answers.',
      },
    });
  });

  test('without an end runs for 180 days, and without a city in every city', async () => {
    const { data } = await start({ city: undefined, ends_at: undefined, answers_per_arm: 100 });
    expect(data.city).toBeNull();
    expect(Date.parse(data.ends_at)).toBe(NOW + 180 * DAY_MS);
  });

  test('excludes another one in its city until it has ended', async () => {
    const { data: first } = await start();
    const sentence = `The experiment ${first.id} runs in Bangkok until 2026-12-21T03:00:00.000Z, and a city has one at a time; end it with POST /api/ops/experiments/${first.id}/end, or wait.`;
    const taken = refused(409, 'EXPERIMENT_RUNNING', sentence, { resolution: 'choose_other' });
    expect((await start()).refusal).toEqual(taken);
    expect((await start({ city: undefined })).refusal).toEqual(taken);
    expect((await start({ city: 'Hanoi' })).status).toBe(200);
    expect((await end(first.id)).status).toBe(200);
    expect((await start()).status).toBe(200);
  });

  test('is ended by the operator once, and stays without a conclusion', async () => {
    const { data } = await start();
    service.clock.advance(DAY_MS);
    const ended = { at: '2026-11-22T03:00:00.000Z', by: 'admin', why: 'operator' as const };
    expect((await end(data.id)).data).toEqual({ ...data, ended });
    service.clock.advance(DAY_MS);
    expect((await end(data.id)).data).toEqual({ ...data, ended });
    expect(await listed()).toEqual([{ ...data, ended }]);
    expect((await read(data.id)).data.results.conclusion).toBe(
      'Not concluded: the operator ended it before its stop rule was met.',
    );
    expect(await happened()).toEqual(['ExperimentStarted.v1 by admin', 'ExperimentEnded.v1 by admin']);
  });

  test('ends at its time, to the millisecond for requests, and the process records it', async () => {
    const { data } = await start();
    /** The data of the context log of a new answer. */
    const logged = async (): Promise<unknown> => {
      const { data: answer } = await service.recommend();
      return (await service.events()).find(({ stream }) => stream.endsWith(answer.context.log_id))?.data;
    };
    service.clock.set(Date.parse(data.ends_at) - 1);
    expect(await logged()).toMatchObject({ experiment: { id: data.id } });
    service.clock.set(Date.parse(data.ends_at));
    expect(await logged()).not.toHaveProperty('experiment');
    const { ended } = (await read(data.id)).data;
    expect(ended).toEqual({ at: data.ends_at, by: 'experiments', why: 'stop rule' });
    await recordedInTime(service, 'ExperimentEnded');
    expect(await happened()).toEqual(['ExperimentStarted.v1 by admin', 'ExperimentEnded.v1 by experiments']);
    expect((await read(data.id)).data.ended).toEqual(ended);
  });

  test('that does not exist is neither read nor ended', async () => {
    const sentence = 'There is no experiment with the id "exp_none"; GET /api/ops/experiments lists them.';
    expect((await read('exp_none')).refusal).toEqual(refused(404, 'NOT_FOUND', sentence));
    expect((await end('exp_none')).refusal).toEqual(refused(404, 'NOT_FOUND', sentence));
    expect((await read('__proto__')).status).toBe(404);
  });

  test('still runs after a restart', async () => {
    const { data } = await start();
    await service.restart();
    await service.recommend();
    await service.documents('experimentanswers');
    const { arms } = (await read(data.id)).data.results;
    expect(arms.reduce((sum, { answers }) => sum + answers, 0)).toBe(1);
  });
});
