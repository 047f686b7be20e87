import { MAILS } from '../src/adapters/mongodb/collection-names.ts';
import type { Migration } from './migration.ts';

/** The mails that count for an address: one document per keyed hash of an address. */
export const mailsByAddress: Migration = {
  id: '0005-mails-by-address',
  async up(schema) {
    await schema.collection(MAILS, { version: 'objectId', untilMs: 'number', turns: 'array' });
    await schema.index(MAILS, ['untilMs']);
  },
};
