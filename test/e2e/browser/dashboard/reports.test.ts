import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { type Dashboard, START_MS } from './dashboard.ts';
import { aSeason, NOON, openAtNoon, type Season } from './season.ts';

let opened: Awaited<ReturnType<typeof openAtNoon>>;
let dashboard: Dashboard;
let season: Season;
let analyst = '';

beforeAll(async () => {
  opened = await openAtNoon();
  ({ dashboard } = opened);
  season = await aSeason(dashboard);
  const made = await dashboard.api<{ token: string }>('POST', '/api/operators', { name: 'Ana', role: 'analyst' });
  analyst = made.token;
}, 2 * START_MS);
afterAll(() => opened[Symbol.asyncDispose]());

/** The texts of a table's rows, by its caption. */
async function rowsOf(page: Page, caption: string): Promise<string[][]> {
  const rows = page.getByRole('table', { name: caption }).locator('tbody tr');
  await rows.first().waitFor();
  return Promise.all((await rows.all()).map((row) => row.locator('th, td').allInnerTexts()));
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
    expect(rows.map((cells) => cells.slice(0, 4))).toEqual(
      season.byCouples.map((id, index) => [
        id,
        String(3 - index),
        ['50%', '33.3%', '16.7%'][index] ?? '',
        String(2 * (3 - index)),
      ]),
    );
    expect(page.url()).toContain('travel_type=couple');
    await visit.expectAccessible();
    await visit.photograph('reports-visits');
    const { name, lines } = await download(page);
    expect(name).toBe('waymark-visits-travel_type-activity_id.csv');
    expect(lines[0]).toBe('travel_type,activity_id,visits,guests,disputed');
    expect(lines.filter((line) => line.startsWith('couple,'))).toHaveLength(3);
    expect(complaints).toEqual([]);
  });

  test('reads the funnel with its rates, by any group, from a link', async () => {
    await using visit = await dashboard.open('/reports/funnel?group_by=travel_type', analyst);
    const { page } = visit;
    const steps = await rowsOf(page, 'Answers of recommend, and the bookings and visits that followed');
    expect(steps.map(([step, number]) => `${step} ${number}`)).toEqual([
      'Requests answered 11',
      'Booked 11 (100% of requests)',
      'Confirmed 11 (100% of booked)',
      'Visited 10 (90.9% of confirmed)',
      'Cancelled 1 (9.1% of booked)',
    ]);
    const groups = await rowsOf(page, 'The funnel by type of traveller');
    expect(groups.map(([type, requests, , , , , visited]) => [type, requests, visited])).toEqual([
      ['couple', '7', '6'],
      ['family', '4', '4'],
    ]);
    await page.getByLabel('Group by').selectOption('city');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/group_by=city/);
    expect((await rowsOf(page, 'The funnel by city'))[0]?.[0]).toBe('Bangkok');
    await visit.expectAccessible();
    await visit.photograph('reports-funnel');
    expect((await download(page)).lines).toHaveLength(2);
  });

  test('reads charges and refunds by month and by activity', async () => {
    await using visit = await dashboard.open('/reports/revenue', analyst);
    const { page } = visit;
    type Report = { readonly items: readonly Record<string, number | string>[] };
    const { items } = await dashboard.api<Report>('GET', '/api/analytics/revenue?group_by=month');
    const thb = (amount: unknown): string =>
      new Intl.NumberFormat('en', { style: 'currency', currency: 'THB', currencyDisplay: 'code' }).format(
        Number(amount),
      );
    const [month, total] = await rowsOf(page, 'Charges and refunds in THB, by month');
    expect(month?.slice(0, 3)).toEqual([
      String(items[0]?.['month']),
      thb(items[0]?.['charged']),
      thb(items[0]?.['refunded']),
    ]);
    expect([total?.[0], total?.[1], total?.[5]]).toEqual(['Total', thb(items[0]?.['charged']), '11']);
    await page.getByLabel('Group by').selectOption('activity_id');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/group_by=activity_id/);
    const refunded = await rowsOf(page, 'Refunded, THB');
    expect(refunded.map(([activity]) => activity)).toEqual([season.byCouples[0] ?? '']);
    await visit.expectAccessible();
    await visit.photograph('reports-revenue');
    expect((await download(page)).lines[0]).toBe('currency,activity_id,charged,refunded,retained,bookings,guests');
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
    expect((await rowsOf(page, 'Activities that all travellers visited')).map(([id]) => id)).toEqual([
      season.byCouples[1] ?? '',
    ]);
    await page.getByRole('link', { name: 'Last month' }).click();
    await page.getByText('No visit by all travellers in these days.').waitFor();
    await page.getByLabel('Activity (id)').fill('moon-walk');
    await page.getByRole('button', { name: 'Show' }).click();
    expect(await page.getByRole('alert').innerText()).toContain('activity_id "moon-walk" does not exist');
  });

  test('has no page that another role reads', async () => {
    await using visit = await dashboard.open('/operators', analyst);
    await visit.heading('No such page').waitFor();
    const pages = visit.page.getByRole('navigation', { name: 'Pages' });
    expect(await pages.getByRole('link', { name: 'Operators' }).count()).toBe(0);
    expect(await pages.getByRole('link', { name: 'Funnel' }).count()).toBe(1);
  });
});
