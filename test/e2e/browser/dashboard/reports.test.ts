import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { type Dashboard, START_MS } from './dashboard.ts';
import { aSeason, NOON, openAtNoon, type Season } from './season.ts';

let opened: Awaited<ReturnType<typeof openAtNoon>>;
let dashboard: Dashboard;
let season: Season;
let analyst = '';
/** No amount; currencies are followed by a space without a break. */
const NOTHING = 'THB\u00a00';
/** Titles of activities by id. */
let titles: ReadonlyMap<string, string>;

beforeAll(async () => {
  opened = await openAtNoon();
  ({ dashboard } = opened);
  season = await aSeason(dashboard);
  const made = await dashboard.api<{ token: string }>('POST', '/api/operators', { name: 'Ana', role: 'analyst' });
  analyst = made.token;
  type Report = { readonly items: readonly { readonly activity_id: string; readonly title: string }[] };
  const { items } = await dashboard.api<Report>('GET', '/api/analytics/visits?group_by=activity_id');
  titles = new Map(items.map(({ activity_id, title }) => [activity_id, title]));
}, 2 * START_MS);
afterAll(() => opened[Symbol.asyncDispose]());

/** The texts of a table's rows, by its caption. */
async function rowsOf(page: Page, caption: string): Promise<string[][]> {
  const rows = page.getByRole('table', { name: caption }).locator('tbody tr, tfoot tr');
  await rows.first().waitFor();
  return Promise.all((await rows.all()).map((row) => row.locator('th, td').allInnerTexts()));
}

/** The cell of an activity: its title, then its id. */
function nameOf(id: string | undefined): string {
  return `${titles.get(id ?? '')}\n${id}`;
}

async function download(page: Page): Promise<{ readonly name: string; readonly lines: readonly string[] }> {
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  const lines = readFileSync(await saved.path(), 'utf8')
    .trim()
    .split('\r\n');
  return { name: saved.suggestedFilename(), lines };
}

describe('an analyst', () => {
  test('finds which activities couples really visit, and takes the table along', async () => {
    await using visit = await dashboard.open('', analyst);
    const { page, complaints } = visit;
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Visits' }).click();
    await visit.heading('Visits').waitFor();
    await page.getByRole('link', { name: 'couples' }).click();
    await page.getByRole('heading', { name: 'Activities that couples visited' }).waitFor();
    const rows = await rowsOf(page, 'Activities that couples visited');
    expect(rows.map((cells) => cells.slice(0, 4))).toEqual([
      ...season.byCouples.map((id, index) => [
        nameOf(id),
        String(3 - index),
        ['50.0%', '33.3%', '16.7%'][index] ?? '',
        String(2 * (3 - index)),
      ]),
      ['Total', '6', '100.0%', '12'],
    ]);
    expect(page.url()).toContain('travel_type=couple');
    await page.getByText('6 of 10 visits; 0 of travellers of unknown type.').waitFor();
    await page.getByText('Fewer than 30 visits: differences can be chance.').waitFor();
    expect(await rowsOf(page, 'Visits by type of traveller')).toEqual([
      ['couples', '6 (60.0%)', ''],
      ['families', '4 (40.0%)', ''],
    ]);
    expect(await page.getByText(/^As of \d\d:\d\d:\d\d UTC$/).count()).toBe(1);
    const entry = page.getByRole('table', { name: 'Activities that couples visited' }).getByRole('link').first();
    expect(await entry.getAttribute('href')).toBe(`/dashboard/activities/${season.byCouples[0]}`);
    await visit.expectAccessible();
    await visit.photograph('reports-visits');
    const button = page.getByRole('button', { name: 'Download CSV' });
    const place = await button.boundingBox();
    const { name, lines } = await download(page);
    expect(name).toBe('visits-couples.csv');
    expect(lines[0]).toBe('activity_id,title,visits,share_of_visits,guests,disputed');
    expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual([...season.byCouples]);
    await page.getByText('visits-couples.csv is saved.').waitFor();
    expect(await button.boundingBox()).toEqual(place);
    await page.getByRole('link', { name: 'families' }).click();
    await page.getByRole('heading', { name: 'Activities that families visited' }).waitFor();
    expect(await page.getByText('is saved.').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('reads the funnel with its rates, by any group, from a link', async () => {
    await using visit = await dashboard.open('/reports/funnel?group_by=travel_type', analyst);
    const { page } = visit;
    const steps = await rowsOf(page, 'Requests for recommendations, and the bookings and visits that followed');
    expect(steps.map(([step, number]) => `${step} ${number}`)).toEqual([
      'Requests 11',
      'Booked 11 (100.0% of requests)',
      'Confirmed 11 (100.0% of booked)',
      'Visited 10 (90.9% of confirmed)',
    ]);
    await page.getByText('Cancelled: 1 (9.1% of booked)').waitFor();
    await page.getByText('10 of 10 visits came from a recommendation.').waitFor();
    const groups = await rowsOf(page, 'The funnel by type of traveller');
    expect(groups.map(([type, requests, , , , , visited]) => [type, requests, visited])).toEqual([
      ['couple', '7', '6'],
      ['family', '4', '4'],
      ['Total', '11', '10'],
    ]);
    await page.getByLabel('Group by').selectOption('city');
    await page.waitForURL(/group_by=city/);
    expect((await rowsOf(page, 'The funnel by city'))[0]?.[0]).toBe('Bangkok');
    await visit.expectAccessible();
    await visit.photograph('reports-funnel');
    const { name, lines } = await download(page);
    expect(name).toBe('funnel-by-city.csv');
    expect(lines).toHaveLength(2);
  });

  test('reads charges and refunds by month and by activity', async () => {
    await using visit = await dashboard.open('/reports/revenue', analyst);
    const { page } = visit;
    type Report = { readonly items: readonly Record<string, number | string>[] };
    const { items } = await dashboard.api<Report>('GET', '/api/analytics/revenue?group_by=month');
    const thb = (amount: unknown): string => {
      const digits = Number.isInteger(amount) ? { maximumFractionDigits: 0 } : {};
      const format = { style: 'currency', currency: 'THB', currencyDisplay: 'code', ...digits } as const;
      return new Intl.NumberFormat('en', format).format(Number(amount));
    };
    const amounts = [thb(items[0]?.['charged']), thb(items[0]?.['refunded'])];
    const [month, total] = await rowsOf(page, 'Charges and refunds in THB, by month');
    expect(month?.slice(0, 3)).toEqual([String(items[0]?.['month']), ...amounts]);
    expect([total?.[0], total?.[1], total?.[5]]).toEqual(['Total', amounts[0] ?? '', '11']);
    expect((await rowsOf(page, 'Charges and refunds by currency'))[0]?.slice(0, 3)).toEqual(['THB', ...amounts]);
    // A chart of one month would compare nothing.
    expect(await page.getByRole('table', { name: 'Charged, THB' }).count()).toBe(0);
    await page.getByLabel('Group by').selectOption('activity_id');
    await page.waitForURL(/group_by=activity_id/);
    const refunded = await rowsOf(page, 'Refunded, THB');
    const charged = await rowsOf(page, 'Charged, THB');
    expect(refunded.map(([activity]) => activity)).toEqual(charged.map(([activity]) => activity));
    expect(refunded.filter(([, amount]) => amount !== NOTHING).map(([activity]) => activity)).toEqual([
      nameOf(season.byCouples[0]),
    ]);
    await visit.expectAccessible();
    await visit.photograph('reports-revenue');
    expect((await download(page)).lines[0]).toBe(
      'currency,activity_id,title,charged,refunded,refunded_of_charged,retained,bookings,guests',
    );
  });

  test('sees each day of the range in both charts, and a bound where there is one', async () => {
    await using visit = await dashboard.open('/reports/revenue?group_by=day&from=2026-11-24&to=2026-11-27', analyst);
    const { page } = visit;
    const days = ['2026-11-24', '2026-11-25', '2026-11-26', '2026-11-27'];
    for (const chart of ['Charged, THB', 'Refunded, THB'])
      expect((await rowsOf(page, chart)).map(([day]) => day)).toEqual(days);
    expect((await rowsOf(page, 'Charged, THB')).map(([, amount]) => amount).slice(0, 3)).toEqual([
      NOTHING,
      NOTHING,
      NOTHING,
    ]);
    await visit.photograph('reports-revenue-days');
    await visit.go('/reports/revenue?group_by=day&from=2026-01-01&to=2026-11-27');
    expect(await rowsOf(page, 'Charged, THB (the last 62 of 331)')).toHaveLength(62);
  });

  test('has the same filters in the next report, and those shown are applied', async () => {
    await using visit = await dashboard.open('/reports/visits', analyst);
    const { page } = visit;
    // Evening in UTC, and the next day in Bangkok.
    await page.clock.setFixedTime('2026-11-27T20:05:00.000Z');
    await page.getByLabel('City').selectOption('Bangkok');
    await page.waitForURL(/city=Bangkok/);
    await page.getByRole('link', { name: 'Last 30 days' }).click();
    await page.waitForURL(/from=2026-10-30&to=2026-11-28/);
    // Typed, and not sent: the tab applies it.
    await page.getByLabel('From').fill('2026-11-01');
    await page.getByRole('link', { name: 'couples' }).click();
    await page.waitForURL(/travel_type=couple/);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      city: 'Bangkok',
      from: '2026-11-01',
      to: '2026-11-28',
      travel_type: 'couple',
    });
    await rowsOf(page, 'Activities that couples visited');
    expect((await download(page)).name).toBe('visits-couples-bangkok-2026-11-01-2026-11-28.csv');
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Funnel' }).click();
    await page.waitForURL(/\/funnel\?from=2026-11-01&to=2026-11-28&city=Bangkok/);
    expect(await page.getByLabel('City').inputValue()).toBe('Bangkok');
    await page.getByText('Date in UTC').first().waitFor();
    await page.getByRole('link', { name: 'Last 30 days' }).click();
    await page.waitForURL(/from=2026-10-29&to=2026-11-27/);
    await page.getByRole('link', { name: 'All days' }).click();
    await page.waitForURL((url) => !url.searchParams.has('from') && url.searchParams.get('city') === 'Bangkok');
  });

  test('learns at the field that a range is the wrong way round', async () => {
    await using visit = await dashboard.open('/reports/visits?from=2026-11-20&to=2026-11-01', analyst);
    const { page } = visit;
    expect(await page.getByRole('alert').allInnerTexts()).toEqual(['“From” is after “To”.']);
    expect(await page.getByLabel('From').getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await visit.expectAccessible();
    await visit.photograph('reports-wrong-range');
  });

  test('narrows a report by day, city and activity, and sees what the API refuses', async () => {
    await using visit = await dashboard.open('/reports/visits', analyst);
    const { page } = visit;
    await page.clock.setFixedTime(NOON);
    await page.getByLabel('Activity (id)').fill(season.byCouples[1] ?? '');
    await page.getByLabel('City').selectOption('Bangkok');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/activity_id=/);
    await page.getByRole('heading', { name: 'Activities that all travellers visited' }).waitFor();
    expect((await rowsOf(page, 'Activities that all travellers visited')).map(([name]) => name)).toEqual([
      nameOf(season.byCouples[1]),
      'Total',
    ]);
    await page.getByRole('link', { name: 'Last month' }).click();
    await page.getByText('No visit by all travellers in these days.').waitFor();
    await page.getByLabel('Activity (id)').fill('moon-walk');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('No activity has this id.').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  test('has no page that another role reads', async () => {
    await using visit = await dashboard.open('/operators', analyst);
    await visit.heading('No such page').waitFor();
    const pages = visit.page.getByRole('navigation', { name: 'Pages' });
    expect(await pages.getByRole('link', { name: 'Operators' }).count()).toBe(0);
    expect(await pages.getByRole('link', { name: 'Funnel' }).count()).toBe(1);
  });
});
