import type { EvidenceEvent } from '../../src/domain/learning/evidence.ts';
import { streamId } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { CreditedVisit } from './read-model.ts';

/** One document per credited visit, keyed by its booking, of which at most one visit is credited at a time. */
export const evidenceProjection: Projection<CreditedVisit, EvidenceEvent> = {
  name: 'evidence',
  version: 1,
  categories: ['evidence'],
  indexes: [['keyId', 'verifiedAtMs'], ['deviceId', 'verifiedAtMs'], ['verifiedAtMs']],
  idsOf: ({ type, data }) => (type === 'VisitPassedOver' ? [] : [data.evidence.bookingId]),
  evolve(doc, event) {
    if (event.type === 'VisitPassedOver') return doc;
    if (event.type === 'VisitWithdrawn') return null;
    const { bookingId, activityId, keyId, deviceId, verifiedAtMs } = event.data.evidence;
    const evidenceId = streamId(event.stream) as CreditedVisit['evidenceId'];
    return { bookingId, activityId, keyId, deviceId, verifiedAtMs, evidenceId };
  },
};
