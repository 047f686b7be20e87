import { type ExperimentEvent, experimentDecider } from '../../src/domain/experiment/experiment.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { ExperimentDocument } from './read-model.ts';

/** One document per experiment, by its id. */
export const experimentsProjection: Projection<ExperimentDocument, ExperimentEvent> = {
  name: 'experiments',
  version: 1,
  categories: ['experiment'],
  indexes: [['at'], ['hasEnded', 'at']],
  idsOf: (event) => [event.data.experimentId],
  evolve(doc, event, id) {
    const before = doc === null ? {} : { [id]: doc };
    const after = experimentDecider.evolve({ byId: before }, event).byId[id];
    return after === undefined ? doc : { ...after, hasEnded: after.ended !== null };
  },
};
