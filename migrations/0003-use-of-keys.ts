import { KEY_USE } from '../src/adapters/mongodb/collection-names.ts';
import type { Migration } from './migration.ts';

/** Request statistics: one document per API key, day and node run. */
export const useOfKeys: Migration = {
  id: '0003-use-of-keys',
  async up(schema) {
    await schema.collection(KEY_USE, { key: 'string', day: 'number', run: 'string', use: 'array' });
    await schema.index(KEY_USE, ['key', 'day']);
    await schema.index(KEY_USE, ['day']);
  },
};
