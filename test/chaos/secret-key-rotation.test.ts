import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemSealer } from '../../src/adapters/system/sealer.ts';
import { openStores } from '../../src/app/embedded-stores.ts';
import { webhookSecretPurpose } from '../../src/domain/apikey/apikey.ts';
import type { KeyId } from '../../src/domain/ids.ts';
import { START, streamId } from '../../src/eventsourcing/message.ts';
import type { StoredEvent } from '../../src/ports/event-store.ts';
import { openedWith } from '../../src/ports/sealer.ts';
import { filesIn, holding, sought } from '../e2e/secrets/search.ts';
import { runProgram, type Settings, startProgram, startService } from '../support/process.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { eventually } from './kill/real-time.ts';

const PATIENCE_MS = 300_000;
const POLL_MS = 1;
const API_KEYS = 60;
/** Each kill comes after so many more keys were re-sealed. */
const KILLED_AFTER = [1, 15];
/** A rotation ends at the earliest 30 s after its begin. */
const SETTLED_MS = 31_000;
const START_MS = Date.parse('2026-11-21T03:00:00Z');

let directory: TemporaryDirectory;
let settings: Settings;
let first: string;
const keyIds: KeyId[] = [];
/** As shown once, when the keys were created. */
const webhookSecrets: string[] = [];

const file = (name: string): string => join(settings.DATA_DIR, name);
const kept = (name: string): string => readFileSync(file(name), 'utf8').trim();
const setClock = (atMs: number): void => writeFileSync(directory.file('clock'), String(atMs));

beforeAll(async () => {
  directory = temporaryDirectory();
  settings = { DATA_DIR: directory.file('data'), PORT: '0', WAYMARK_TEST_CLOCK: directory.file('clock') };
  setClock(START_MS);
  await using service = await startService(settings);
  const headers = { authorization: `Bearer ${service.adminToken}`, 'content-type': 'application/json' };
  for (let index = 0; index < API_KEYS; index++) {
    const body = JSON.stringify({ name: `Agent ${index}`, plan: 'basic' });
    const answer = await fetch(`${service.url}/api/keys`, { method: 'POST', headers, body });
    const { data } = (await answer.json()) as { data: { id: KeyId; webhook_secret: string } };
    keyIds.push(data.id);
    webhookSecrets.push(data.webhook_secret);
  }
  await service.program.terminate();
  first = kept('secret-key');
}, PATIENCE_MS);
afterAll(() => directory[Symbol.dispose]());

/** The log of the stopped service. */
async function events(): Promise<readonly StoredEvent[]> {
  const stores = openStores({ dataDirectory: settings.DATA_DIR }, { note: () => undefined });
  const found: StoredEvent[] = [];
  for await (const batch of stores.store.subscribe({ after: START, signal: new AbortController().signal })) {
    found.push(...batch.events);
    if (batch.caughtUp) break;
  }
  await stores.close();
  return found;
}

/** Number of re-sealed API keys of a running service. */
async function resealedAtLeast(count: number): Promise<boolean> {
  const db = new Database(file('events.db'), { readonly: true });
  try {
    using streams = db.prepare<{ count: number }, []>(
      "SELECT count(*) AS count FROM appends WHERE stream LIKE 'apikey-%' GROUP BY stream HAVING count(*) > 1",
    );
    return await eventually(async () => streams.all().length >= count, PATIENCE_MS, POLL_MS);
  } finally {
    db.close();
  }
}

describe('a start with wrong secret keys says so, and writes nothing', () => {
  test.each([
    [
      'another one',
      { WAYMARK_SECRET_KEY: '7b'.repeat(32) },
      'neither WAYMARK_SECRET_KEY nor WAYMARK_SECRET_KEY_PREVIOUS',
    ],
    ['none', {}, 'secret-key is missing'],
  ])(
    '%s',
    async (_what, given, message) => {
      const before = (await events()).length;
      renameSync(file('secret-key'), directory.file('kept'));
      const { exitCode, stderr } = await runProgram(['serve'], { ...settings, ...given });
      expect(exitCode).toBe(1);
      expect(stderr).toStartWith('waymark: the secret keys cannot be used: ');
      expect(stderr).toInclude(message);
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
      expect(existsSync(file('secret-key'))).toBe(false);
      renameSync(directory.file('kept'), file('secret-key'));
      expect((await events()).length).toBe(before);
    },
    PATIENCE_MS,
  );
});

test(
  'kills in the middle of re-sealing lose nothing: afterwards the new key alone opens everything, and is in its file only',
  async () => {
    renameSync(file('secret-key'), file('secret-key-previous'));
    for (const count of KILLED_AFTER) {
      await using program = startProgram(['serve'], settings);
      await resealedAtLeast(count);
      await program.kill();
    }
    const interrupted = (await events()).filter(({ type }) => type.startsWith('WebhookSecretResealed'));
    expect(interrupted.length).toBeWithin(KILLED_AFTER.at(-1) ?? 0, API_KEYS + 1);

    // The rotation has not ended: the new key alone is refused.
    renameSync(file('secret-key-previous'), directory.file('kept'));
    const refused = await runProgram(['serve'], settings);
    expect(refused.stderr).toInclude('set it as WAYMARK_SECRET_KEY_PREVIOUS until the log says "secrets re-sealed"');
    renameSync(directory.file('kept'), file('secret-key-previous'));

    setClock(START_MS + SETTLED_MS);
    await using last = await startService(settings);
    expect(await last.program.stdout.line(/"secrets re-sealed"/)).not.toBeNull();
    await last.program.terminate();

    rmSync(file('secret-key-previous'));
    chmodSync(file('secret-key'), 0o644);
    await using alone = await startService(settings);
    expect(await alone.program.stdout.line(/"mode":"644".*"secret file was open to others"/)).not.toBeNull();
    expect((statSync(file('secret-key')).mode & 0o777).toString(8)).toBe('600');
    await alone.program.terminate();

    const [oldKey, newKey] = [first, kept('secret-key')].map((text) => systemSealer(Buffer.from(text, 'hex')));
    const log = await events();
    for (const id of keyIds) {
      const own = log.filter(({ stream }) => stream === `apikey-${id}`);
      expect(own.map(({ type }) => type)).toEqual(['KeyCreated.v1', 'WebhookSecretResealed.v1']);
      const texts = own.map(({ data }) => (data as { webhookSecret: string }).webhookSecret);
      const opened = texts.map((text) =>
        [oldKey, newKey].map((key) => key !== undefined && openedWith(key, text, webhookSecretPurpose(id)) !== null),
      );
      // Old events stay: the old key still opens what they hold.
      expect([id, opened]).toEqual([
        id,
        [
          [true, false],
          [false, true],
        ],
      ]);
    }
    expect(log.map(({ stream }) => stream).filter((stream) => streamId(stream) === 'ring')).toHaveLength(4);
    const places = filesIn(settings.DATA_DIR);
    const plain = webhookSecrets.flatMap((secret) => [secret, Buffer.from(secret.slice('whsec_'.length), 'base64')]);
    expect(plain.filter((secret) => holding(sought('a webhook secret', secret), places).length > 0)).toEqual([]);
    expect(holding(sought('the old key', first), places)).toEqual([]);
    expect(holding(sought('the new key', kept('secret-key')), places)).toEqual(['secret-key']);
  },
  PATIENCE_MS,
);
