import type { ApiKeyEvent, KeySettings } from '../../domain/apikey/apikey.ts';
import { apiKeyCodec, apiKeyDecider } from '../../domain/apikey/decider.ts';
import type { KeyId } from '../../domain/ids.ts';
import type { Position, Recorded } from '../../eventsourcing/message.ts';
import type { StreamReader } from '../../webhooks/stream-state.ts';

export type WebhookSettings = Pick<KeySettings, 'webhookUrl' | 'webhookEvents'>;

/**
 * The webhook settings that a key had right before a position of the log; null if it did not exist. `changedAt` is the
 * position of the key's last event before it, if the caller knows of one.
 */
export type KeySettingsAt = (
  keyId: KeyId,
  position: Position,
  changedAt: Position | null,
) => Promise<WebhookSettings | null>;

/** The settings from a position on. */
type Change = WebhookSettings & { readonly position: Position };

/** Maximum number of keys whose changes stay in memory; the oldest are dropped and read again. */
const MAX_KEYS = 10_000;

/**
 * Reads the stream of a key once, and again after `changedAt` names an event that it has not read. So a caller that knows
 * of all changes since its start gets the exact settings.
 */
export function keySettingsIn(store: StreamReader, maxKeys = MAX_KEYS): KeySettingsAt {
  const known = new Map<KeyId, Promise<readonly Change[]>>();
  const read = (keyId: KeyId): Promise<readonly Change[]> => {
    const reading = changesOf(keyId, store);
    known.delete(keyId);
    known.set(keyId, reading);
    reading.catch(() => known.delete(keyId));
    const [oldest] = known.keys();
    if (oldest !== undefined && known.size > maxKeys) known.delete(oldest);
    return reading;
  };
  return async (keyId, position, changedAt) => {
    let changes = await (known.get(keyId) ?? read(keyId));
    if (changedAt !== null && !changes.some((change) => change.position >= changedAt)) changes = await read(keyId);
    return changes.findLast((change) => change.position < position) ?? null;
  };
}

async function changesOf(keyId: KeyId, store: StreamReader): Promise<readonly Change[]> {
  const read = await store.read(`${apiKeyCodec.category}-${keyId}`);
  // All events of a stream have its category.
  const events = read.kind === 'events' ? (read.decoded as readonly Recorded<ApiKeyEvent>[]) : [];
  const changes: Change[] = [];
  let key = apiKeyDecider.initial;
  for (const event of events) {
    key = apiKeyDecider.evolve(key, event);
    if (key.status === 'none') continue;
    const { webhookUrl, webhookEvents } = key.facts;
    changes.push({ position: event.position, webhookUrl, webhookEvents });
  }
  return changes;
}
