import { USAGE } from '../src/adapters/mongodb/collection-names.ts';
import type { Migration } from './migration.ts';

/** Serves the daily removal of usage documents of unused keys. */
export const usageByLastDay: Migration = {
  id: '0002-usage-by-last-day',
  async up(schema) {
    await schema.index(USAGE, ['lastDay']);
  },
};
