import { EXPOSURE } from '../src/adapters/mongodb/collection-names.ts';
import type { Migration } from './migration.ts';

/** What holds and refundable bookings take of the limits of keys: one document per key and limit. */
export const exposureOfKeys: Migration = {
  id: '0006-exposure-of-keys',
  async up(schema) {
    await schema.collection(EXPOSURE, { version: 'objectId', entries: 'array' });
  },
};
