import { afterAll, beforeAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addDays, localDate } from '../../../src/domain/activity/schedule.ts';
import { GENERATORS, run } from '../../support/peers/generated-clients.ts';
import { BUILD_MS } from '../../support/peers/go-program.ts';
import { type Service, startService } from '../../support/process.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.ts';

const ACTIVITY = 'bkk-jim-thompson-house-tour';

let directory: TemporaryDirectory;
let service: Service;
beforeAll(async () => {
  directory = temporaryDirectory();
  service = await startService({ DATA_DIR: directory.file('data'), PORT: '0' });
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  directory?.remove();
});

test.each(Object.entries(GENERATORS))(
  'a client generated in %s books, reads the booking, and has the code of a refusal',
  async (_language, generate) => {
    using folder = temporaryDirectory();
    const document = await (await fetch(`${service.url}/openapi.json`)).text();
    writeFileSync(join(folder.path, 'openapi.json'), document);
    const command = await generate(folder.path);
    const DATE = addDays(localDate('Bangkok', Date.now()), 14);
    const env = { ...process.env, URL: service.url, KEY: service.apiKey, ACTIVITY, DATE };
    const printed: unknown = JSON.parse(await run(folder.path, command, env));

    const { booking_id: id } = Object(printed);
    const answer = await fetch(`${service.url}/api/b2a/bookings/${id}`, { headers: { 'x-api-key': service.apiKey } });
    const { data: booking } = (await answer.json()) as {
      readonly data: { readonly status: string; readonly booking_date: string; readonly pricing: { total: number } };
    };
    expect([booking.status, booking.booking_date]).toEqual(['confirmed', DATE]);
    expect(printed).toEqual({
      booking_id: id,
      status: 'confirmed',
      total: booking.pricing.total,
      refusal: 'ACTIVITY_NOT_FOUND',
    });
  },
  BUILD_MS,
);
