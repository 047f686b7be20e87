import type { ApiKeyEvent } from '../../src/domain/apikey/apikey.ts';
import { unreachable } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { KeyDocument } from './read-model.ts';

/** One document per API key, under its id. */
export const keysProjection: Projection<KeyDocument, ApiKeyEvent> = {
  name: 'keys',
  version: 1,
  categories: ['apikey'],
  indexes: [['createdAt']],
  keysOf: (event) => [event.stream.slice('apikey-'.length)],
  evolve(doc, event) {
    switch (event.type) {
      case 'KeyCreated': {
        const { webhookSecret: _sealed, at, ...facts } = event.data;
        return { ...facts, active: true, createdAt: at };
      }
      case 'KeyDeactivated':
        return doc === null ? null : { ...doc, active: false };
      default:
        return unreachable(event);
    }
  },
};
