import { ERASURES } from '../src/adapters/mongodb/collection-names.ts';
import type { Migration } from './migration.ts';

/** The erasures of guests, one document per booking. The only collection that nothing can rebuild after it is lost. */
export const erasureLedger: Migration = {
  id: '0007-erasure-ledger',
  async up(schema) {
    await schema.collection(ERASURES, { position: 'string', at: 'string' });
    await schema.index(ERASURES, ['position']);
  },
};
