import type { EndpointFacts, EndpointId } from '../../src/domain/endpoint/endpoint.ts';

/** A webhook receiver that acknowledges nothing. One that works has no document. */
export type EndpointDocument = EndpointFacts & {
  readonly endpointId: EndpointId;
  readonly status: 'failing' | 'suspended';
  /** When the first attempt failed, ISO 8601 UTC. */
  readonly failingSince: string;
  /** ISO 8601 UTC; null if it is not suspended. */
  readonly suspendedSince: string | null;
  /** Of the last attempt before the suspension; null if it is not suspended. */
  readonly error: string | null;
};
