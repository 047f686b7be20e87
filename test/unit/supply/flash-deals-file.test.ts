import { describe, expect, test } from 'bun:test';
import { FLASH_DEALS_FILE, loadDealPolicy, parseDealPolicy } from '../../../src/supply/flash-deals-file.ts';
import { describeFaults } from '../../../src/supply/json-file.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const FILE = 'deals.json';
const TEXT = `{
  "note": "What the revenue manager thinks right.",
  "activities_percent": 40,
  "lasts_minutes": 90,
  "steps": [
    { "hours_left": 6.5, "free_percent": 75, "discount_percent": 30 },
    { "hours_left": 2, "free_percent": 50, "discount_percent": 50 }
  ]
}
`;

function faultsOf(text: string): string[] {
  const reading = parseDealPolicy(FILE, text);
  return reading.kind === 'faults' ? describeFaults(reading.faults).split('\n') : [];
}

test('a valid file gives the policy', () => {
  expect(parseDealPolicy(FILE, TEXT)).toEqual({
    kind: 'valid',
    value: {
      activitiesPercent: 40,
      lastsMinutes: 90,
      steps: [
        { hoursLeft: 6.5, freePercent: 75, discountPercent: 30 },
        { hoursLeft: 2, freePercent: 50, discountPercent: 50 },
      ],
    },
  });
});

describe('a fault is', () => {
  const percent = 'steps[1].discount_percent: must be a whole number from 30 to 50, not';
  test.each([
    ['"discount_percent": 50', '"discount_percent": 51', 7, `${percent} 51`],
    ['"discount_percent": 50', '"discount_percent": 29', 7, `${percent} 29`],
    ['"hours_left": 2', '"hours_left": 0', 7, 'steps[1].hours_left: must be a number from 0.25 to 24, not 0'],
    [
      '"free_percent": 50',
      '"free_percent": 0',
      7,
      'steps[1].free_percent: must be a whole number from 1 to 100, not 0',
    ],
    [
      '"activities_percent": 40',
      '"activities_percent": 101',
      3,
      'activities_percent: must be a whole number from 0 to 100, not 101',
    ],
    ['"lasts_minutes": 90', '"lasts_minutes": 10', 4, 'lasts_minutes: must be a whole number from 15 to 1440, not 10'],
    ['"note"', '"name"', 2, 'name: is unknown; the fields here are note, activities_percent, lasts_minutes, steps'],
  ] as const)('%p as %p', (was, becomes, line, fault) => {
    expect(TEXT).toContain(was);
    expect(faultsOf(TEXT.replace(was, becomes))).toContain(`${FILE}:${line} ${fault}`);
  });

  test('a policy without steps, and one with too many', () => {
    const step = '{ "hours_left": 6, "free_percent": 75, "discount_percent": 30 }';
    const withSteps = (count: number) =>
      `{"note": "${'x'.repeat(20)}", "activities_percent": 0, "lasts_minutes": 15, "steps": [${Array(count).fill(step).join(',')}]}`;
    expect(faultsOf(withSteps(0))).toEqual([`${FILE}:1 steps: must have 1 to 50 steps; it has 0`]);
    expect(faultsOf(withSteps(50))).toEqual([]);
    expect(faultsOf(withSteps(51))).toEqual([`${FILE}:1 steps: must have 1 to 50 steps; it has 51`]);
  });
});

describe('a file', () => {
  test('that is missing throws', async () => {
    using directory = temporaryDirectory();
    const thrown = await loadDealPolicy(directory.file('nowhere.json')).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: 'ENOENT' });
  });

  test('that is shipped is valid', async () => {
    const reading = await loadDealPolicy(FLASH_DEALS_FILE);
    expect(reading.kind === 'faults' ? describeFaults(reading.faults) : '').toBe('');
  });
});
