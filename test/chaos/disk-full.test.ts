import { describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { call, until } from '../cluster/client.ts';
import { mailsIn } from '../support/mails.ts';
import { ready, startProgram } from '../support/process.ts';
import { FULL_FROM_THE_START, limitedDisk, mayMount, type SmallDisk, smallFileSystem } from '../support/small-disk.ts';
import { openScene } from './disk/scene.ts';
import { leftIn } from './kill/embedded.ts';
import { pause } from './kill/real-time.ts';
import { autopsy } from './kill/stopped.ts';

const PATIENCE_MS = 120_000;
/** The service recovers within this time after the disk has space again. */
const RECOVERED_MS = 10_000;
const NOTICED_MS = 15_000;
/** A failed mail is retried after ten seconds, then after thirty. */
const MAILED_MS = 60_000;
const AWHILE_MS = 500;
/** Permitted answers to a booking: confirmed, or retry later. */
const COME_AGAIN = { status: 503, code: 'SERVICE_UNAVAILABLE', retryAfter: '1' };
const FINE = ['200 ', '503 SERVICE_UNAVAILABLE, again in 1 s'];

/**
 * The size limit everywhere, and a real file system if one can be mounted. A full file system accepts writes that need no
 * new page, so the counters still work in their file.
 */
const DISKS: readonly (readonly [string, () => SmallDisk, readonly string[]])[] = [
  ['that refuses what is written', limitedDisk, ['event_store', 'read_models', 'usage_counters']],
  ...(mayMount() ? [['without room', smallFileSystem, ['event_store']] as const] : []),
];

describe.each(DISKS)('a service on a disk %s', (_, openDisk, refusing) => {
  test(
    'refuses writes that it cannot store, reports that it is not ready, still reads, and recovers without a restart: nothing is lost or half done',
    async () => {
      using disk = openDisk();
      await using scene = await openScene(disk);
      const { service, load, limited, unlimited } = scene;
      const { program } = service;
      const bookings = (headers: typeof limited) => call(service, '/api/b2a/bookings?limit=1', { headers });
      const readiness = () => call(service, '/readyz');

      await load.during(() => pause(AWHILE_MS));
      const [known = ''] = load.confirmed.keys();
      await load.during(async () => {
        await disk.fill(program);
        await until('a booking is refused', NOTICED_MS, async () => (await load.book()).status === 503);
        await until('it says what is refused', NOTICED_MS, async () => {
          if (refusing.includes('usage_counters')) expect(await bookings(limited)).toMatchObject(COME_AGAIN);
          const said = await readiness();
          expect(said).toMatchObject(COME_AGAIN);
          return refusing.every((engine) => said.error.includes(engine));
        });
        expect((await call(service, '/livez')).status).toBe(200);
        expect((await call(service, `/api/b2a/bookings/${known}`, { headers: unlimited })).status).toBe(200);
        expect((await bookings(unlimited)).status).toBe(200);
        await disk.empty(program);
        const ms = await until('everything works again', RECOVERED_MS, async () => {
          const answers = await Promise.all([readiness(), load.book(), bookings(limited)]);
          return answers.every(({ status }) => status === 200);
        });
        process.stdout.write(`works again ${ms} ms after there is room\n`);
      });
      expect([...load.answers].sort()).toEqual(FINE);

      await load.askAgain();
      expect([...load.refused.keys()]).toEqual([]);
      const confirmed = [...load.confirmed.keys()].sort();
      const outbox = join(disk.seenOf(program), 'outbox');
      await until('every voucher is in the outbox, and nothing else', MAILED_MS, async () => {
        const names = mailsIn(outbox);
        const unfinished = readdirSync(join(outbox, '.unfinished'));
        const others = names.filter((name) => !name.endsWith('.eml'));
        const found = `${names.length} mails, ${unfinished.length} unfinished, of ${confirmed.length}; not a mail: ${others.join()}`;
        return unfinished.length + others.length === 0 && names.length === confirmed.length ? true : found;
      });

      program.pause();
      await using left = leftIn(disk.seenOf(program));
      const { history, faults } = await autopsy(left);
      expect(faults).toEqual([]);
      expect([...history.bookings.keys()].sort().map(String)).toEqual(confirmed);
    },
    PATIENCE_MS,
  );

  test(
    'stops in order while the disk is full',
    async () => {
      using disk = openDisk();
      await using scene = await openScene(disk);
      const { service, load } = scene;
      await load.during(async () => {
        await pause(AWHILE_MS);
        await disk.fill(service.program);
        await until('a booking is refused', NOTICED_MS, async () => (await load.book()).status === 503);
      });
      expect([await service.program.terminate(), service.program.stderr.text]).toEqual([0, '']);
    },
    PATIENCE_MS,
  );
});

test(
  'a service that starts on a full disk waits for space, and starts without a loss',
  async () => {
    using disk = limitedDisk();
    await using scene = await openScene(disk);
    const { settings, service, load, unlimited } = scene;
    expect((await load.book()).status).toBe(200);
    const [known = ''] = load.confirmed.keys();
    await service.program.terminate();

    await using program = startProgram(['serve'], settings, FULL_FROM_THE_START);
    const waiting = await program.stdout.line(/"url":"([^"]+)".*"msg":"waiting for an engine"/);
    const starting = { url: waiting?.[1] ?? program.stderr.text };
    expect((await call(starting, '/livez')).status).toBe(200);
    expect((await call(starting, '/readyz')).status).toBe(503);
    await disk.empty(program);
    const again = await ready(program, settings);
    await until('it is ready', RECOVERED_MS, async () => (await call(again, '/readyz')).status === 200);
    expect((await call(again, `/api/b2a/bookings/${known}`, { headers: unlimited })).status).toBe(200);
  },
  PATIENCE_MS,
);
