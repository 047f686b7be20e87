import type { ActivityEvent } from '../../src/domain/activity/decider.ts';
import { streamId, unreachable } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { ActivityDocument } from './read-model.ts';

/** One document per activity, keyed by its id. */
export const activitiesProjection: Projection<ActivityDocument, ActivityEvent> = {
  name: 'activities',
  version: 3,
  categories: ['activity'],
  indexes: [],
  idsOf: (event) => [streamId(event.stream)],
  evolve(doc, event) {
    const { revision } = event;
    const { at, by } = event.cause;
    const override = doc?.override ?? null;
    switch (event.type) {
      case 'ActivityListed':
      case 'ActivityUpdated': {
        const { activity } = event.data;
        if (doc === null || override === null)
          return { activity, revision, listed: true, updatedAt: at, override: null };
        return { ...doc, revision, override: { ...override, catalogue: activity } };
      }
      case 'ActivityRetired':
        if (doc === null) return null;
        if (override === null) return { ...doc, revision, listed: false, updatedAt: at };
        return { ...doc, revision, override: { ...override, catalogue: null } };
      case 'ActivityOverridden': {
        const { activity } = event.data;
        const listed = doc?.listed === true ? doc.activity : null;
        const catalogue = override === null ? listed : override.catalogue;
        return { activity, revision, listed: true, updatedAt: at, override: { by, at, catalogue } };
      }
      case 'OverrideWithdrawn': {
        if (doc === null || override === null) return doc;
        const { catalogue } = override;
        if (catalogue === null) return { ...doc, revision, listed: false, updatedAt: at, override: null };
        return { activity: catalogue, revision, listed: true, updatedAt: at, override: null };
      }
      default:
        return unreachable(event);
    }
  },
};
