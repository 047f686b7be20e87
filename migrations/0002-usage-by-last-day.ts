import { USAGE } from '../src/adapters/mongodb/collection-names.ts';
import type { Migration } from './migration.ts';

/** For the daily removal of keys that were not used lately. */
export const usageByLastDay: Migration = {
  id: '0002-usage-by-last-day',
  async up(schema) {
    await schema.index(USAGE, ['lastDay']);
  },
};
