import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { send } from '../chaos/kill/wire.ts';
import { type Service, startService } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const PATIENCE_MS = 60_000;

async function freeKey({ url, adminToken }: Service): Promise<string> {
  const headers = { authorization: `Bearer ${adminToken}` };
  const made = await send<{ readonly key: string }>(`${url}/api/keys`, headers, { name: 'An agent', plan: 'free' });
  if (made.kind !== 'done') throw new Error(`no key was made: ${JSON.stringify(made)}`);
  return made.data.key;
}

/** Sends a request that counts; returns its outcome and the requests that the day has left. */
async function ask({ url }: Service, key: string): Promise<readonly [outcome: string, left: string | null]> {
  const response = await fetch(`${url}/api/b2a/bookings`, { headers: { 'x-api-key': key } });
  // The assertions check the content of the envelope.
  const body = (await response.json()) as { readonly code?: string };
  const left = /"day";r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1] ?? null;
  return [body.code ?? 'answered', left];
}

test(
  'given a service that is killed right after each answer, its keys have what they had left, of the minute and of the day',
  async () => {
    using directory = temporaryDirectory();
    const clock = directory.file('clock');
    const settings = {
      DATA_DIR: directory.file('data'),
      PORT: '0',
      LOG_LEVEL: 'warn',
      WAYMARK_TEST_CLOCK: clock,
    };
    writeFileSync(clock, '2026-11-21T03:00:00Z');
    let key: string | null = null;
    const outcomes: unknown[] = [];
    for (const requests of [9, 1, 1]) {
      await using service = await startService(settings);
      key ??= await freeKey(service);
      for (let sent = 0; sent < requests; sent++) outcomes.push(await ask(service, key));
      await service.program.kill();
    }
    expect(outcomes).toEqual([
      ...Array.from({ length: 10 }, (_, n) => ['answered', String(99 - n)]),
      ['RATE_LIMITED', '90'],
    ]);
    writeFileSync(clock, '2026-11-21T03:01:00Z');
    await using service = await startService(settings);
    expect(await ask(service, key ?? '')).toEqual(['answered', '89']);
  },
  PATIENCE_MS,
);
