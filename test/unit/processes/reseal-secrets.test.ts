import { expect, test } from 'bun:test';
import { ACTOR_LIMITS } from '../../../src/actors/limits.ts';
import { createActorSystem } from '../../../src/actors/system.ts';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { systemSealer } from '../../../src/adapters/system/sealer.ts';
import { openStreams } from '../../../src/application/streams.ts';
import { webhookSecretPurpose } from '../../../src/domain/apikey/apikey.ts';
import { apiKeyCodec } from '../../../src/domain/apikey/decider.ts';
import { SECRET_KEY_RING, type SecretKeyId } from '../../../src/domain/secretkey/secretkey.ts';
import { UnknownEvent } from '../../../src/eventsourcing/codec.ts';
import { openedWith, SealBroken } from '../../../src/ports/sealer.ts';
import { runResealSecrets } from '../../../src/processes/reseal-secrets/run.ts';
import { movedClock } from '../../support/clock.ts';
import { decoded } from '../../support/decoded.ts';
import { keyId } from '../../support/examples.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog, type LogLine } from '../../support/log.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const AT = '2026-11-21T03:00:00.000Z';
const [OLD, PRESENT, UNKNOWN] = [1, 2, 3].map((byte) => systemSealer(new Uint8Array(32).fill(byte)));

/** A rotation of the secret key with API keys whose secrets are sealed with the given keys. */
async function scene(sealers: Readonly<Record<string, typeof OLD | 'unreadable'>>) {
  const directory = temporaryDirectory();
  const store = decoded(openEventStore(directory.file('events.db')));
  const [clock, log, ids] = [movedClock(Date.parse(AT)), collectedLog(), seededIds()];
  const system = createActorSystem({ clock, log, limits: { ...ACTOR_LIMITS, restartMs: 0 } });
  const streams = openStreams({ store, ids, system });
  const [keyOfRing, replacedKeyId] = ['present', 'old'] as unknown as [SecretKeyId, SecretKeyId];
  const replace = { type: 'ReplaceSecretKey', keyId: keyOfRing, replacedKeyId, digestKey: 'sealed', at: AT } as const;
  await streams.secretKeys.handle(SECRET_KEY_RING, replace, SOME_CAUSE, clock.nowMs() + 10_000);
  for (const [id, sealer] of Object.entries(sealers)) {
    const type = sealer === 'unreadable' ? 'KeyCreated.v99' : 'KeyCreated.v1';
    const webhookSecret =
      sealer !== 'unreadable' && (await sealer?.seal(Buffer.from(`secret of ${id}`), webhookSecretPurpose(keyId(id))));
    const data = { keyId: id, hash: id, prefix: id, webhookSecret, at: AT, name: id, plan: 'free', permissions: [] };
    const facts = { ...data, webhookUrl: null, webhookEvents: null, ipAllowlist: null, contactEmail: null };
    const event = { id: ids.uuid(), type, data: { ...facts, expiresAt: null }, cause: SOME_CAUSE };
    await store.append(`${apiKeyCodec.category}-${id}`, -1, [event]);
  }
  const sealer = { ...PRESENT, open: (text: string, purpose: string) => openWithBoth(text, purpose) };
  const resealing = { keyId: keyOfRing, present: PRESENT, sealer } as Parameters<typeof runResealSecrets>[0];
  const running = runResealSecrets(resealing, { streams, store, clock, ids, log });
  return {
    clock,
    async opensWithPresent(id: string): Promise<boolean> {
      const read = await streams.apiKeys.read(id, clock.nowMs() + 10_000);
      if (read.kind !== 'state' || read.state.status === 'none' || PRESENT === undefined) return false;
      return openedWith(PRESENT, read.state.facts.webhookSecret, webhookSecretPurpose(keyId(id))) !== null;
    },
    async ended(): Promise<boolean> {
      return (await store.last(`secretkey-${SECRET_KEY_RING}`))?.type === 'SecretsResealed.v1';
    },
    /** The lines about secrets that are left, once there are so many. */
    async linesOfLeft(count: number): Promise<readonly LogLine[]> {
      for (;;) {
        const lines = log.lines.filter(({ happening }) => happening === 'secrets left');
        if (lines.length >= count) return lines;
        await new Promise(setImmediate);
      }
    },
    async [Symbol.asyncDispose]() {
      await running.stop();
      await system.drain();
      await store.close();
      directory.remove();
    },
  };
}

function openWithBoth(text: string, purpose: string): Uint8Array {
  const opened = [PRESENT, OLD].map((sealer) => sealer && openedWith(sealer, text, purpose)).find((each) => each);
  if (!opened) throw new SealBroken(purpose);
  return opened;
}

test.each([
  ['a secret that no known key opens', UNKNOWN, new SealBroken(webhookSecretPurpose(keyId('key_2')))],
  ['an API key whose stream cannot be read', 'unreadable', expect.any(UnknownEvent)],
] as const)('%s delays no other one, and the rotation does not end', async (_, damaged, fault) => {
  await using at = await scene({ key_1: OLD, key_2: damaged, key_3: OLD });
  const left: LogLine = {
    level: 'error',
    happening: 'secrets left',
    facts: { left: 1, of: ['key_2'], retryMs: 300_000, fault },
  };
  expect(await at.linesOfLeft(1)).toEqual([left]);
  expect([await at.opensWithPresent('key_1'), await at.opensWithPresent('key_3')]).toEqual([true, true]);
  at.clock.advance(300_000);
  expect(await at.linesOfLeft(2)).toEqual([left, left]);
  expect(await at.ended()).toBe(false);
});
