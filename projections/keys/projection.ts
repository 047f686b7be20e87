import { type ApiKeyEvent, NO_LIMITS } from '../../src/domain/apikey/apikey.ts';
import { streamId, unreachable } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { KeyDocument } from './read-model.ts';

/** One document per API key, keyed by its id. */
export const keysProjection: Projection<KeyDocument, ApiKeyEvent> = {
  name: 'keys',
  version: 6,
  categories: ['apikey'],
  indexes: [['createdAt'], ['active', 'createdAt'], ['plan', 'createdAt'], ['active', 'plan', 'createdAt']],
  idsOf: (event) => [streamId(event.stream)],
  evolve(doc, event) {
    if (event.type === 'KeyCreated' || event.type === 'TestKeyCreated') {
      const { webhookSecret: _sealed, at, ...facts } = event.data;
      const mode = event.type === 'KeyCreated' ? 'live' : 'test';
      const none = { limits: NO_LIMITS, hotelIds: [], exploration: true, replaced: null };
      return { ...facts, mode, ...none, active: true, createdAt: at };
    }
    return doc === null ? null : evolveFrom(doc, event);
  },
};

function evolveFrom(
  doc: KeyDocument,
  event: Exclude<ApiKeyEvent, { type: 'KeyCreated' | 'TestKeyCreated' }>,
): KeyDocument {
  switch (event.type) {
    case 'KeyChanged':
      return { ...doc, ...event.data.changes };
    case 'KeyRotated': {
      const { hash, prefix, oldUntil } = event.data;
      return { ...doc, hash, prefix, replaced: { hash: doc.hash, prefix: doc.prefix, until: oldUntil } };
    }
    case 'KeyLimitsSet':
      return { ...doc, limits: event.data.limits };
    case 'KeyHotelsAllowed':
      return { ...doc, hotelIds: event.data.hotelIds };
    case 'KeyExplorationSet':
      return { ...doc, exploration: event.data.exploration };
    case 'KeyDeactivated':
      return { ...doc, active: false };
    case 'KeyActivated':
      return { ...doc, active: true };
    case 'WebhookSecretRotated':
    case 'WebhookSecretRotationFinished':
    case 'WebhookSecretResealed':
      return doc;
    default:
      return unreachable(event);
  }
}
