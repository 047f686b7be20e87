import { expect, test } from 'bun:test';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ready, runProgram, type Service, startProgram, startService } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { dateAhead, writeCatalogue } from './kill/catalogue.ts';

const PATIENCE_MS = 60_000;

test(
  'the start detects an events file restored from an older backup, and the command that /readyz names repairs it',
  async () => {
    using directory = temporaryDirectory();
    const sale = writeCatalogue(directory.file('catalogue'), Date.now());
    const DATA_DIR = directory.file('data');
    const settings = { DATA_DIR, CATALOGUE_DIR: directory.file('catalogue'), PORT: '0' };
    const book = async ({ url, apiKey }: Service, day: number) => {
      const body = {
        activity_id: sale.large[0],
        booking_date: dateAhead(sale, day),
        num_adults: 1,
        user_name: 'Ada Lovelace',
        user_email: 'ada@example.com',
      };
      const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
      const request = { method: 'POST', headers, body: JSON.stringify(body) };
      const answer = await fetch(`${url}/api/b2a/execute_booking`, request);
      expect(answer.status).toBe(200);
      const { data } = (await answer.json()) as { data: { booking_id: string } };
      return { id: data.booking_id, position: answer.headers.get('x-position') ?? '' };
    };
    const listed = async ({ url, apiKey }: Service, position: string): Promise<readonly string[]> => {
      const headers = { 'x-api-key': apiKey, 'x-position': position };
      const answer = await fetch(`${url}/api/b2a/bookings`, { headers });
      const { data } = (await answer.json()) as { data: { items: { booking_id: string }[] } };
      return data.items.map(({ booking_id: id }) => id);
    };
    const [events, backup] = [join(DATA_DIR, 'events.db'), directory.file('backup.db')];

    // Given a backup of the log, and bookings that were made after it.
    const first = await startService(settings);
    const kept = await book(first, 1);
    await first.program.terminate();
    copyFileSync(events, backup);
    const second = await startService(settings);
    await book(second, 2);
    await second.program.terminate();

    // When the log is restored and the service starts.
    for (const suffix of ['-wal', '-shm']) rmSync(events + suffix, { force: true });
    copyFileSync(backup, events);
    await using program = startProgram(['serve'], settings);
    const waiting = await program.stdout.line(/"url":"([^"]+)".*"msg":"waiting for an engine"/);
    const readiness = await fetch(`${waiting?.[1]}/readyz`);

    // Then it serves nothing and names the command that repairs it.
    expect(readiness.status).toBe(503);
    expect(await readiness.text()).toMatch(/read model \S+ is not of this log: .*run: waymark rebuild all/);
    expect((await fetch(`${waiting?.[1]}/api/health`)).status).toBe(503);

    // When that command has run, then the service serves the content of the log.
    const repaired = await runProgram(['rebuild', 'all'], settings);
    expect([repaired.exitCode, repaired.stderr]).toEqual([0, '']);
    const service = await ready(program, settings);
    expect(await listed(service, kept.position)).toEqual([kept.id]);
    const later = await book(service, 3);
    expect((await listed(service, later.position)).toSorted()).toEqual([kept.id, later.id].toSorted());
  },
  PATIENCE_MS,
);
