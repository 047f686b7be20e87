import { REQUEST_STATISTICS } from '../src/adapters/mongodb/collection-names.ts';
import type { Migration } from './migration.ts';

/** Request statistics: one document per API key, day and node run. */
export const useOfKeys: Migration = {
  id: '0003-use-of-keys',
  async up(schema) {
    await schema.collection(REQUEST_STATISTICS, { key: 'string', day: 'number', run: 'string', use: 'array' });
    await schema.index(REQUEST_STATISTICS, ['key', 'day']);
    await schema.index(REQUEST_STATISTICS, ['day']);
  },
};
