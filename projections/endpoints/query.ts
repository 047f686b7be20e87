import type { KeyId } from '../../src/domain/ids.ts';
import type { Cursor, Find, ReadModelStore } from '../../src/ports/read-model-store.ts';
import { type FilteredPage, filteredPage } from '../filtered-page.ts';
import type { EndpointDocument } from './read-model.ts';

export type EndpointsQuery = {
  /** Null: of all keys. */
  readonly keyId: KeyId | null;
  readonly status: EndpointDocument['status'] | null;
  readonly limit: number;
  readonly after: Cursor | null;
};

/** Receivers that acknowledge nothing; the latest to begin failing comes first. */
export function listEndpoints(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  { keyId, status, limit, after }: EndpointsQuery,
): Promise<FilteredPage<EndpointDocument>> {
  return filteredPage<EndpointDocument, EndpointDocument>(readModels, collection, {
    find: { where: indexedOf(keyId, status), sort: { field: 'failingSince', direction: 'desc' } },
    matches: (endpoint): endpoint is EndpointDocument => status === null || endpoint.status === status,
    sortValueOf: ({ failingSince }) => failingSince,
    limit,
    after,
  });
}

/** The filters that one of the projection's indexes serves. */
function indexedOf(keyId: KeyId | null, status: EndpointDocument['status'] | null): NonNullable<Find['where']> {
  if (keyId !== null) return { keyId };
  return status === null ? {} : { status };
}
