import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { experimentsProjection } from '../../../projections/experiments/projection.ts';
import type { ExperimentDocument } from '../../../projections/experiments/read-model.ts';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { openReadModelStore } from '../../../src/adapters/sqlite/read-model-store.ts';
import { type ExperimentEvent, experimentCodec } from '../../../src/domain/experiment/experiment.ts';
import { defaultModel } from '../../../src/domain/recommendation/ranking-model.ts';
import { type AssignedModel, assignedModel, groupOfExperiment } from '../../../src/recommend/assigned-model.ts';
import { servingCollection } from '../../../src/runtime/builds.ts';
import { type LiveView, openLiveView } from '../../../src/runtime/live-view.ts';
import { decoded } from '../../support/decoded.ts';
import { keyId } from '../../support/examples.ts';
import { experimentFacts, experimentId } from '../../support/experiments.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.ts';

const NOW = Date.parse('2026-11-22T03:00:00Z');
const DEFAULT: AssignedModel = { model: defaultModel(0), experiment: undefined };

let directory: TemporaryDirectory;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

/** A log, and the nodes that follow it. */
async function scene() {
  const store = decoded(openEventStore(directory.file('events.db')));
  const readModels = openReadModelStore(directory.file('read-models.db'));
  const [ids, log] = [seededIds(), collectedLog()];
  const collection = await servingCollection(experimentsProjection, readModels);
  const nodes: LiveView<ExperimentDocument>[] = [];
  let revision = -1;
  return {
    async append(...events: readonly ExperimentEvent[]): Promise<void> {
      const added = events.map((event) => ({ id: ids.uuid(), ...experimentCodec.encode(event), cause: SOME_CAUSE }));
      expect((await store.append('experiment-all', revision, added)).kind).toBe('appended');
      revision += events.length;
      const head = await store.head();
      await Promise.all(nodes.map((node) => node.passed(head)));
    },
    async node(): Promise<LiveView<ExperimentDocument>> {
      const opening = { projection: experimentsProjection, collection: () => Promise.resolve(collection) };
      const node = await openLiveView({ ...opening, store, readModels, log, groupOf: groupOfExperiment });
      nodes.push(node);
      return node;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all(nodes.map((node) => node.stop()));
      await store.close();
      await readModels.close();
    },
  };
}

type Change = { readonly key?: string; readonly mode?: 'live' | 'test'; readonly city?: 'Bangkok' | 'Hanoi' };

function assigned(
  node: Pick<LiveView<ExperimentDocument>, 'inGroup'>,
  { key = 'key_1', mode = 'live', city = 'Bangkok' }: Change = {},
  nowMs = NOW,
): AssignedModel {
  const profile = { travelType: 'couple', nationality: null, interests: [], budget: null, ageGroup: null } as const;
  const place = { city, position: null, hotel: null, hotelGrant: null };
  const context = { rankingModel: defaultModel(0), experiments: node };
  return assignedModel({ mode, keyId: keyId(key), profile, place }, nowMs, context);
}

const KEYS = Array.from({ length: 60 }, (_, index) => `key_${index}`);
const armsOn = (node: Pick<LiveView<ExperimentDocument>, 'inGroup'>) =>
  KEYS.map((key) => assigned(node, { key }).experiment?.arm);

const STARTED: ExperimentEvent = { type: 'ExperimentStarted', data: experimentFacts() };
const ENDED: ExperimentEvent = {
  type: 'ExperimentEnded',
  data: { experimentId: experimentId('exp_1'), why: 'operator', by: 'admin', at: '2026-11-25T03:00:00.000Z' },
};

describe('the model of a request', () => {
  test('is the same on a node that followed the start and on one that opened later; its end ends it on both', async () => {
    await using log = await scene();
    const first = await log.node();
    expect(assigned(first)).toEqual(DEFAULT);
    await log.append(STARTED);
    const second = await log.node();
    const arms = armsOn(first);
    expect(new Set(arms)).toEqual(new Set(['default', 'power-4']));
    expect(armsOn(second)).toEqual(arms);
    await log.append(ENDED);
    for (const node of [first, second, await log.node()]) expect(assigned(node)).toEqual(DEFAULT);
  });

  test('is that of the arm, which the context log names with its power', async () => {
    await using log = await scene();
    await log.append(STARTED);
    const node = await log.node();
    const found = KEYS.map((key) => assigned(node, { key })).find(({ model }) => model.name === 'power-4');
    expect(found).toEqual({
      model: { name: 'power-4', groundTruthPower: 4, explorationPercent: 0 },
      experiment: { id: experimentId('exp_1'), arm: 'power-4', groundTruthPower: 4 },
    });
  });

  test('is the default one in test mode, in another city, and from the end of the time on', async () => {
    await using log = await scene();
    await log.append(STARTED);
    const node = await log.node();
    const { endsAtMs } = experimentFacts().stop;
    expect(assigned(node, { mode: 'test' })).toEqual(DEFAULT);
    expect(assigned(node, { city: 'Hanoi' })).toEqual(DEFAULT);
    expect(assigned(node, {}, endsAtMs)).toEqual(DEFAULT);
    expect(assigned(node, {}, endsAtMs - 1).experiment).toBeDefined();
  });

  test('is that of an arm in every city, if the experiment runs in all', async () => {
    await using log = await scene();
    await log.append({ type: 'ExperimentStarted', data: experimentFacts({ city: null }) });
    const node = await log.node();
    expect(assigned(node, { city: 'Hanoi' }).experiment).toEqual(assigned(node).experiment);
    expect(assigned(node).experiment).toBeDefined();
  });
});
