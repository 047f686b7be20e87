import { describe, expect, test } from 'bun:test';
import type { ActivityDocument } from '../../../projections/activities/read-model.ts';
import { supplyFiles } from '../../../src/adapters/system/supply-files.ts';
import { compactActivities } from '../../../src/app/compact-activity.ts';
import type { Activity } from '../../../src/domain/activity/activity.ts';
import { CATALOGUE_DIRECTORY, parseCatalogueFiles } from '../../../src/supply/catalogue-file.ts';
import { EXCHANGE_RATES_FILE } from '../../../src/supply/exchange-rates-file.ts';
import { describeFaults } from '../../../src/supply/json-file.ts';
import { activityId, anActivity } from '../../support/examples.ts';
import { collectedLog } from '../../support/log.ts';

/** More than the number of decoded texts that stay in memory. */
const MANY = 5_000;

function document(change: Partial<Activity> = {}): ActivityDocument {
  const activity = JSON.parse(JSON.stringify(anActivity(change))) as Activity;
  return { activity, revision: 3, listed: true, updatedAt: '2026-11-21T03:00:00.000Z', override: null };
}

/** Of the only hidden property. */
function packedBytes(activity: Activity): number {
  const [key] = Object.getOwnPropertySymbols(activity);
  const packed: unknown = key && Reflect.get(activity, key);
  if (!(packed instanceof Uint8Array)) throw new Error('the activity has no packed texts');
  return packed.buffer.byteLength;
}

describe('a compact activity', () => {
  test('has the same fields in the same order', () => {
    const [full, small] = [document(), compactActivities()(document())];
    expect(small).toEqual(full);
    expect(JSON.stringify(small)).toBe(JSON.stringify(full));
    expect({ ...small.activity }).toEqual(full.activity);
  });

  test('shares equal venues, opening hours and lists with others', () => {
    const compact = compactActivities();
    const [one, other] = [compact(document()), compact(document({ id: activityId('other'), capacity: 7 }))];
    const shared = (['venue', 'openings', 'travelTypes', 'ageGroups', 'bestTimes', 'cancellation'] as const).filter(
      (field) => one.activity[field] === other.activity[field],
    );
    expect(shared).toEqual(['venue', 'openings', 'travelTypes', 'ageGroups', 'bestTimes', 'cancellation']);
    const elsewhere = { ...anActivity().venue, address: '1 Quay Street' };
    expect(compact(document({ venue: elsewhere })).activity.venue).toEqual(elsewhere);
  });

  test('holds no decoded texts but those that were read last', () => {
    const compact = compactActivities();
    const titleOf = (index: number) => `Activity ${index}`;
    const all = Array.from({ length: MANY }, (_, index) => {
      const { texts } = anActivity();
      const en = { ...texts.en, title: titleOf(index) };
      return compact(document({ id: activityId(`a${index}`), texts: { ...texts, en } }));
    });
    const first = all[0]?.activity.texts;
    expect(all[0]?.activity.texts).toBe(first as Activity['texts']);
    expect(all.map(({ activity }) => activity.texts.en.title)).toEqual(all.map((_, index) => titleOf(index)));
    expect(all[0]?.activity.texts).not.toBe(first as Activity['texts']);
    expect(all[0]?.activity.texts).toEqual(first as Activity['texts']);
  });

  test('has its texts in less than 3,000 bytes on average, since the first ones are a dictionary of the others', async () => {
    const files = await supplyFiles(
      { directory: CATALOGUE_DIRECTORY, exchangeRatesFile: EXCHANGE_RATES_FILE },
      collectedLog(),
    ).read();
    const reading = await parseCatalogueFiles(files.catalogue, files.directory);
    if (reading.kind === 'faults') throw new Error(describeFaults(reading.faults));
    const compact = compactActivities();
    const all = reading.activities.map((activity) => ({
      activity,
      small: compact({ ...document(), activity }).activity,
    }));
    const bytes = all.reduce((sum, { small }) => sum + packedBytes(small), 0);
    expect(bytes / all.length).toBeLessThan(3_000);
    for (const { activity, small } of all) expect(small.texts).toEqual(activity.texts);
  });

  test('stays as it is if it is compacted again', () => {
    const compact = compactActivities();
    const small = compact(document());
    expect(compact({ ...small, listed: false }).activity).toBe(small.activity);
  });
});
