import type { OperatorEvent } from '../../src/domain/operator/operator.ts';
import { streamId, unreachable } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { OperatorDocument } from './read-model.ts';

/** One document per named operator, keyed by its id. No document is ever deleted. */
export const operatorsProjection: Projection<OperatorDocument, OperatorEvent> = {
  name: 'operators',
  version: 1,
  categories: ['operator'],
  indexes: [['createdAt']],
  idsOf: (event) => [streamId(event.stream)],
  evolve(doc, event) {
    switch (event.type) {
      case 'OperatorCreated': {
        const { at, ...facts } = event.data;
        return { ...facts, active: true, createdAt: at };
      }
      case 'OperatorChanged':
        return doc === null ? null : { ...doc, ...event.data.changes };
      case 'OperatorTokenRotated':
        return doc === null ? null : { ...doc, hash: event.data.hash };
      case 'OperatorRevoked':
        return doc === null ? null : { ...doc, active: false };
      default:
        return unreachable(event);
    }
  },
};
