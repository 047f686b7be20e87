import type { ActivityEvent } from '../../src/domain/activity/decider.ts';
import { unreachable } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { ActivityDocument } from './read-model.ts';

/** One document per activity, under its id. */
export const activitiesProjection: Projection<ActivityDocument, ActivityEvent> = {
  name: 'activities',
  version: 2,
  categories: ['activity'],
  indexes: [],
  keysOf: (event) => [event.stream.slice('activity-'.length)],
  evolve(doc, event) {
    const { revision } = event;
    const updatedAt = event.cause.at;
    switch (event.type) {
      case 'ActivityListed':
      case 'ActivityUpdated':
        return { activity: event.data.activity, revision, listed: true, updatedAt };
      case 'ActivityRetired':
        return doc === null ? null : { ...doc, revision, listed: false, updatedAt };
      default:
        return unreachable(event);
    }
  },
};
