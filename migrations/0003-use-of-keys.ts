import { KEY_USE } from '../src/adapters/mongodb/collection-names.ts';
import type { Migration } from './migration.ts';

/** What each run of a node answered to a key on a day. */
export const useOfKeys: Migration = {
  id: '0003-use-of-keys',
  async up(schema) {
    await schema.collection(KEY_USE, { key: 'string', day: 'number', run: 'string', use: 'array' });
    await schema.index(KEY_USE, ['key', 'day']);
    await schema.index(KEY_USE, ['day']);
  },
};
