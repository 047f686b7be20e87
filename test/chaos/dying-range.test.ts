import { afterAll, expect, test } from 'bun:test';
import { rmSync, writeFileSync } from 'node:fs';
import { addDays, datesIn, localDate } from '../../src/domain/activity/schedule.ts';
import { ready, type Service, startProgram } from '../support/process.ts';
import { writeServiceCatalogue } from '../support/service-catalogue.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { PLAN } from './dying/mortal-store.ts';
import { leftIn } from './kill/embedded.ts';
import { everyEvent } from './kill/stopped.ts';

/** Longest wait for two processes. */
const PATIENCE_MS = 120_000;
const REQUEST = 'a-range';
/** The first one stores the audit of the request. */
const APPENDS = 8;
const FROM = addDays(localDate('Bangkok', Date.now()), 1);
const DATES = datesIn(FROM, addDays(FROM, 19));

const directory = temporaryDirectory();
const [data, catalogue, plan] = [directory.file('data'), directory.file('catalogue'), directory.file('plan')];
afterAll(() => directory.remove());

function begin(): Promise<Service> {
  const settings = {
    DATA_DIR: data,
    CATALOGUE_DIR: catalogue,
    PORT: '0',
    BUN_OPTIONS: '--preload=./test/chaos/dying/preload.ts',
    [PLAN]: plan,
  };
  return ready(startProgram(['serve'], settings), settings);
}

function change({ url, adminToken }: Service, requestId: string): Promise<Response> {
  return fetch(`${url}/api/activities/river-walk/allotments`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${adminToken}`,
      'content-type': 'application/json',
      'x-request-id': requestId,
    },
    body: JSON.stringify({ from: DATES[0], to: DATES.at(-1), capacity: 17 }),
  });
}

type Changed = { readonly changed: number; readonly complete: boolean; readonly dates: readonly { result: string }[] };

test(
  'a range that a kill cut off is completed by the same request, which changes no date twice',
  async () => {
    writeServiceCatalogue(catalogue);
    {
      await using service = await begin();
      writeFileSync(plan, JSON.stringify({ [REQUEST]: APPENDS }));
      expect(await change(service, REQUEST).catch(() => null)).toBeNull();
      await service.program.ended();
      rmSync(plan);
    }
    await using service = await begin();
    const { data: answer } = (await (await change(service, 'again')).json()) as { readonly data: Changed };
    const before = answer.dates.filter(({ result }) => result === 'unchanged').length;
    expect(before).toBeGreaterThan(0);
    expect(answer).toMatchObject({ changed: DATES.length - before, complete: true });
    await service.program.kill();
    await using left = leftIn(data);
    const set = (await everyEvent(left.store)).filter(({ type }) => type.startsWith('CapacitySet.'));
    expect(set.map(({ stream }) => stream).toSorted()).toEqual(
      DATES.map((date) => `allotment-river-walk-${date}`).toSorted(),
    );
  },
  PATIENCE_MS,
);
