import { SNAPSHOTS } from '../src/adapters/mongodb/collection-names.ts';
import type { Migration } from './migration.ts';

/** Snapshots of streams: one document per stream and version of its state. */
export const snapshots: Migration = {
  id: '0004-snapshots',
  async up(schema) {
    await schema.collection(SNAPSHOTS, { stream: 'string', version: 'number', revision: 'number', state: 'string' });
    await schema.index(SNAPSHOTS, ['savedAtMs']);
  },
};
