import { CHECKPOINTS, LEASES, MIGRATIONS, POINTERS, USAGE } from '../src/adapters/mongodb/collection-names.ts';
import type { Migration } from './migration.ts';

/** Creates the collections whose names begin with `_`. A projection's build creates its own collection. */
export const collectionsBesideTheReadModels: Migration = {
  id: '0001-collections-beside-the-read-models',
  async up(schema) {
    await schema.collection(MIGRATIONS, { atMs: 'number' });
    await schema.collection(CHECKPOINTS, { position: 'string' });
    await schema.collection(POINTERS, { target: 'string' });
    await schema.collection(LEASES, { holder: ['string', 'null'], token: 'number', untilMs: 'number' });
    await schema.collection(USAGE, { version: 'objectId', lastDay: 'number', recent: 'array', days: 'array' });
  },
};
