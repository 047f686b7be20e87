import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeServiceCatalogue } from '../../../support/service-catalogue.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { type Dashboard, openDashboard, START_MS } from './dashboard.ts';

const catalogue = temporaryDirectory();
let dashboard: Dashboard;
beforeAll(async () => {
  writeServiceCatalogue(catalogue.file('files'));
  dashboard = await openDashboard({ CATALOGUE_DIR: catalogue.file('files') });
}, START_MS);
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
  catalogue.remove();
});

describe('an activity', () => {
  test('shows its texts in each language, hours and next dates', async () => {
    await using visit = await dashboard.open('/activities/paper-museum');
    const { page, complaints } = visit;
    await visit.heading('Paper Museum (en)').waitFor();
    await page.getByRole('link', { name: 'Thai' }).click();
    await page.getByRole('heading', { name: 'Paper Museum (th)' }).waitFor();
    expect(await page.getByRole('row', { name: /^Monday/ }).innerText()).toContain('closed');
    await page
      .getByRole('button', { name: /^Open Paper Museum/ })
      .first()
      .waitFor();
    await visit.expectAccessible();
    await visit.photograph('activity');
    expect(complaints).toEqual([]);
  });

  test('is changed with pictures, shows what differs, and takes the change back', async () => {
    await using visit = await dashboard.open('/activities/river-walk');
    const { page } = visit;
    await page.route('https://pictures.example/*', (route) =>
      route.fulfill({ contentType: 'image/svg+xml', body: PICTURE }),
    );
    await page.getByRole('button', { name: 'Change the entry' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Price in THB').fill('130');
    await dialog.getByLabel('Pictures').fill('https://pictures.example/walk.svg');
    await dialog.getByRole('button', { name: 'Change the entry' }).click();
    await page.getByText('The entry is changed.').waitFor();
    const row = page.getByRole('row', { name: /^price/ });
    expect(await row.innerText()).toMatch(/120\.5\s+130/);
    const picture = page.getByRole('img', { name: 'River Walk (en), picture 1 of 1' });
    await picture.scrollIntoViewIfNeeded();
    await page.waitForFunction('document.querySelector(".pictures img").naturalWidth > 0');
    await page.getByRole('button', { name: 'Take the changes back' }).click();
    await dialog.getByRole('button', { name: 'Take back' }).click();
    await page.getByText('The changes are taken back.').waitFor();
    await page.getByText('Not changed: the entry is that of the catalogue.').waitFor();
  });

  test('that the API refuses to change says why, beside the field', async () => {
    await using visit = await dashboard.open('/activities/river-walk');
    const { page } = visit;
    await page.getByRole('button', { name: 'Change the entry' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Price in THB').fill('1');
    await dialog.getByRole('button', { name: 'Change the entry' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByRole('alert').innerText()).toContain('price must be an amount in THB');
    expect(await dialog.getByLabel('Price in THB').getAttribute('aria-invalid')).toBe('true');
  });
});

const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="3" height="2"><rect width="3" height="2" fill="teal"/></svg>';

test('the supply page names file, line, column and field of a fault, and says when it is gone', async () => {
  const file = join(catalogue.file('files'), 'bangkok.json');
  const text = readFileSync(file, 'utf8');
  await using visit = await dashboard.open('/supply');
  const { page, complaints } = visit;
  await page.getByText('All files are without fault').waitFor();
  writeFileSync(file, text.replace('"capacity":30', '"capacity":0').replace('"capacity": 30', '"capacity": 0'));
  const refresh = async (): Promise<void> => {
    await fetch(`${dashboard.service.url}/api/b2a/inventory/refresh`, {
      method: 'POST',
      headers: { 'x-api-key': dashboard.service.apiKey, 'content-type': 'application/json' },
      body: '{}',
    });
    await page.getByRole('button', { name: 'Check again' }).click();
  };
  const fault = page.getByRole('row', { name: /bangkok\.json/ });
  while ((await fault.count()) === 0) await refresh();
  expect(await fault.innerText()).toContain('must be a whole number from 1 to 100000, not 0');
  expect(await fault.innerText()).toContain('activities[1].capacity');
  const broken = readFileSync(file, 'utf8').split('"capacity":0').at(0) ?? '';
  expect(await fault.locator('[data-title=Line]').innerText()).toBe(String(broken.split('\n').length));
  await visit.expectAccessible();
  await visit.photograph('supply');
  writeFileSync(file, text);
  while ((await page.getByText('All files are without fault').count()) === 0) await refresh();
  expect(complaints).toEqual([]);
});
