import { LAST_USE } from '../src/adapters/mongodb/collection-names.ts';
import type { Migration } from './migration.ts';

/** The last use of API keys: one document per key. */
export const lastUseOfKeys: Migration = {
  id: '0008-last-use-of-keys',
  async up(schema) {
    await schema.collection(LAST_USE, { atMs: 'number' });
  },
};
