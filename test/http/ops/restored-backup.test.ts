import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openNode } from '../../../src/app/node.ts';
import { readConfig } from '../../../src/config.ts';
import { collectedLog } from '../../support/log.ts';
import { heldMailer } from '../../support/mails.ts';
import { openService, type Service } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';
import { SERVICE_SETTINGS } from '../../support/service-settings.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const MARKER = 'zq-marker-of-the-guest';
const WISH = { user_name: MARKER, user_email: `${MARKER}@example.com`, special_requests: MARKER };

/** As docs/operations.md says: SQLite copies the log of the running service. */
function backUp(at: Service, to: string): void {
  mkdirSync(to, { recursive: true });
  using events = new Database(join(at.directory, 'events.db'), { readonly: true });
  events.run(`VACUUM INTO '${join(to, 'events.db')}'`);
}

/** Restores it: everything of the directory but secrets and ledger is lost. */
function restore(at: Service, from: string): void {
  for (const name of readdirSync(at.directory))
    if (name.includes('.db') && !name.startsWith('erasures.db')) rmSync(join(at.directory, name));
  cpSync(join(from, 'events.db'), join(at.directory, 'events.db'));
}

async function erase(id: string, at: Service): Promise<void> {
  expect((await at.post(`/api/bookings/${id}/erase`, {}, at.admin)).data).toMatchObject({ guest_erased: true });
}

async function shownNames(at: Service): Promise<readonly string[]> {
  type List = AnswerOf<'get /api/b2a/bookings'>;
  const { items } = (await at.get<List>('/api/b2a/bookings?limit=100', at.key)).data;
  return items.map(({ user_name }) => user_name).sort();
}

function filesHolding(at: Service, text: string): string[] {
  return readdirSync(at.directory).filter((name) => readFileSync(join(at.directory, name)).includes(text));
}

const applied = ({ logged }: Service) =>
  logged.filter(({ happening }) => happening === 'erasures applied to a restored log');

describe('a restored backup', () => {
  test('is erased again before it serves, without a byte left in the files', async () => {
    await using own = await openService();
    using backups = temporaryDirectory();
    const { data } = await own.book(WISH);
    const { data: other } = await own.book();
    const { data: early } = await own.book({ user_name: 'Erased Early' });
    await erase(early.booking_id, own);
    backUp(own, backups.file('a'));
    await erase(data.booking_id, own);
    const { data: lost } = await own.book({ user_name: 'Made Later' });
    await erase(lost.booking_id, own);
    await own.restart(() => restore(own, backups.file('a')));
    // The first requests, before anything else ran: neither a list nor a read shows the guest.
    expect(await shownNames(own)).toEqual(['Ada Lovelace', '[erased]', '[erased]']);
    expect((await own.booking(data.booking_id)).data.user_name).toBe('[erased]');
    expect((await own.booking(other.booking_id)).data.user_name).toBe('Ada Lovelace');
    expect(applied(own).map(({ facts }) => facts)).toEqual([{ applied: 1 }]);
    while (filesHolding(own, MARKER).length > 0) {
      own.clock.advance(1_000);
      await new Promise(setImmediate);
    }
    // It keeps the time of the request.
    const { erased_at } = (await own.get<{ erased_at: string }>(`/api/bookings/${data.booking_id}/erasure`, own.admin))
      .data;
    expect(erased_at).toBe('2026-11-21T03:00:00.000Z');
    const erasures = async () => (await own.events()).filter(({ type }) => type.startsWith('GuestErased')).length;
    expect(await erasures()).toBe(2);
    await own.restart();
    expect([applied(own).length, await erasures()]).toEqual([1, 2]);
  });

  test('is reported by /readyz while it is erased again', async () => {
    await using own = await openService();
    using restored = temporaryDirectory();
    const { data } = await own.book(WISH);
    backUp(own, restored.path);
    await erase(data.booking_id, own);
    for (const name of readdirSync(own.directory))
      if (!name.includes('.db') || name === 'erasures.db') cpSync(join(own.directory, name), join(restored.path, name));
    const log = collectedLog();
    const happened: (readonly string[])[] = [];
    const directories = { DATA_DIR: restored.path, CATALOGUE_DIR: own.catalogueDirectory };
    const node = await openNode(readConfig({ ...SERVICE_SETTINGS, ...directories }), {
      url: () => 'http://localhost',
      clock: own.clock,
      log,
      mailer: heldMailer(),
      opening: (checks) =>
        happened.push(
          Object.keys(checks()),
          log.lines.map(({ happening }) => happening),
        ),
    });
    await node.stop();
    const [checks, before] = happened;
    expect(checks).toContain('projections_caught_up');
    expect(before).not.toContain('erasures applied to a restored log');
    expect(log.lines.map(({ happening }) => happening)).toContain('erasures applied to a restored log');
  });

  test('of the whole directory is erased again by a ledger in another place; a second restore too', async () => {
    using apart = temporaryDirectory();
    await using own = await openService({ settings: { ERASURE_LEDGER: apart.file('disk/erasures.db') } });
    const { data } = await own.book(WISH);
    await own.restart(() => cpSync(own.directory, apart.file('backup'), { recursive: true }));
    expect(existsSync(join(own.directory, 'erasures.db'))).toBe(false);
    await erase(data.booking_id, own);
    for (const times of [1, 2]) {
      await own.restart(() => {
        rmSync(own.directory, { recursive: true });
        cpSync(apart.file('backup'), own.directory, { recursive: true });
      });
      expect(await shownNames(own)).toEqual(['[erased]']);
      expect(applied(own)).toHaveLength(times);
    }
  });

  test('does not erase a booking that the caller makes again with its Idempotency-Key', async () => {
    await using own = await openService();
    using backups = temporaryDirectory();
    const key = { 'idempotency-key': 'again' };
    backUp(own, backups.file('a'));
    const { data } = await own.book(WISH, key);
    own.clock.advance(1_000);
    await erase(data.booking_id, own);
    own.clock.advance(1_000);
    await own.restart(() => restore(own, backups.file('a')));
    const { data: again } = await own.book({ user_name: 'Ada Again' }, key);
    expect(again.booking_id).toBe(data.booking_id);
    await own.restart();
    expect((await own.booking(data.booking_id)).data.user_name).toBe('Ada Again');
  });

  test('an empty ledger gets the erasures of the log: after an upgrade, and after the file was lost', async () => {
    await using own = await openService();
    const { data } = await own.book(WISH);
    await erase(data.booking_id, own);
    const { store } = own.node.stores;
    for (let turn = 0; (await store.last('checkpoint-erasure-ledger')) === null; turn++) {
      if (turn % 50 === 0) own.clock.advance(31_000);
      await new Promise(setImmediate);
    }
    await own.restart(() => rmSync(join(own.directory, 'erasures.db')));
    const { ledger } = own.node.context.erasing;
    while ((await ledger.of(data.booking_id)) === null) await new Promise(setImmediate);
    expect(await ledger.of(data.booking_id)).toMatchObject({
      booking: data.booking_id,
      at: '2026-11-21T03:00:00.000Z',
    });
  });
});
