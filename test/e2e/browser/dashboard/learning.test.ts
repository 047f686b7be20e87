import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Dashboard, START_MS } from './dashboard.ts';
import { aSeason, openAtNoon, type Season } from './season.ts';

let opened: Awaited<ReturnType<typeof openAtNoon>>;
let dashboard: Dashboard;
let season: Season;
beforeAll(async () => {
  opened = await openAtNoon();
  ({ dashboard } = opened);
  season = await aSeason(dashboard);
}, 2 * START_MS);
afterAll(() => opened[Symbol.asyncDispose]());

test('an admin excludes the visits of a key, and sees what that changed', async () => {
  await using visit = await dashboard.open('/learning/exclusions');
  const { page, complaints } = visit;
  const dialog = page.getByRole('dialog');
  await page.getByText('Nothing is excluded.').waitFor();
  await page.getByRole('button', { name: 'Exclude visits' }).click();
  await dialog.getByLabel('Reason').fill('Scripted bookings.');
  await dialog.getByRole('button', { name: 'Exclude for good' }).click();
  expect(await dialog.getByRole('alert').innerText()).toContain('send at least one of them');
  await dialog.getByLabel('API key (id)').fill(season.keyId);
  await visit.expectAccessible();
  await dialog.getByRole('button', { name: 'Exclude for good' }).click();
  await page.getByText('It is excluded: 10 visits are withdrawn from the ranking.').waitFor();
  await page.getByRole('heading', { name: 'Scripted bookings.' }).waitFor();
  await page.getByText('What changed for 3 activities').click();
  const rows = page.getByRole('table').locator('tbody tr');
  expect(await rows.count()).toBe(3);
  expect((await rows.first().innerText()).split(/\s+/)).toContain('5');
  await visit.expectAccessible();
  await visit.photograph('learning-exclusions');
  expect(complaints).toEqual([]);
});

test('a list of several pages says that it has changed, and shows the latest', async () => {
  const exclude = (reason: string) =>
    dashboard.api('POST', '/api/learning/exclude', { device_id: season.device.id, reason });
  for (let count = 1; count <= 20; count++) await exclude(`Test scans ${count}.`);
  await using visit = await dashboard.open('/learning/exclusions');
  const { page } = visit;
  await page.getByRole('heading', { name: 'Test scans 20.' }).waitFor();
  expect(await page.getByRole('heading', { name: 'Scripted bookings.' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByRole('heading', { name: 'Scripted bookings.' }).waitFor();
  expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
  // It withdraws no visit: what the ranking knows stays as it is.
  await exclude('The latest.');
  await page.getByText('The list has changed.').waitFor();
  await page.getByRole('button', { name: 'Show the latest' }).click();
  await page.getByRole('heading', { name: 'The latest.' }).waitFor();
});
