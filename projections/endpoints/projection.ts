import type { EndpointEvent, EndpointFacts, EndpointId } from '../../src/domain/endpoint/endpoint.ts';
import { streamId, unreachable } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { EndpointDocument } from './read-model.ts';

/** One document per receiver that fails or is suspended, keyed by the endpoint's id. */
export const endpointsProjection: Projection<EndpointDocument, EndpointEvent> = {
  name: 'endpoints',
  version: 1,
  categories: ['endpoint'],
  indexes: [['failingSince'], ['status', 'failingSince'], ['keyId', 'failingSince']],
  idsOf: (event) => [streamId(event.stream)],
  evolve(doc, event, id) {
    const endpointId = id as EndpointId;
    switch (event.type) {
      case 'EndpointFailing': {
        const { since: failingSince } = event.data;
        const facts = factsOf(event.data);
        return { endpointId, ...facts, status: 'failing', failingSince, suspendedSince: null, error: null };
      }
      case 'EndpointSuspended': {
        const { failingSince, error, at: suspendedSince } = event.data;
        return { endpointId, ...factsOf(event.data), status: 'suspended', failingSince, suspendedSince, error };
      }
      case 'EndpointRecovered':
      case 'EndpointEnabled':
        return null;
      case 'SuspensionMailed':
      case 'SuspensionMailFailed':
        return doc;
      default:
        return unreachable(event);
    }
  },
};

function factsOf({ keyId, kind, origin }: EndpointFacts): EndpointFacts {
  return { keyId, kind, origin };
}
