import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Dashboard, START_MS } from './dashboard.ts';
import { aSeason, openAtNoon } from './season.ts';

let opened: Awaited<ReturnType<typeof openAtNoon>>;
let dashboard: Dashboard;
beforeAll(async () => {
  opened = await openAtNoon();
  ({ dashboard } = opened);
}, START_MS);
afterAll(() => opened[Symbol.asyncDispose]());

test('an admin starts an experiment with a stop rule, reads its results with intervals, and ends it', async () => {
  await using visit = await dashboard.open('/experiments');
  const { page, complaints } = visit;
  const dialog = page.getByRole('dialog');
  await page.getByText('There was no experiment yet.').waitFor();
  await page.getByRole('button', { name: 'Start experiment' }).click();
  await dialog.getByLabel('Name').fill('A steeper ground truth');
  await dialog.getByLabel('City').selectOption('Bangkok');
  const second = dialog.getByRole('group', { name: 'The second model' });
  await second.getByLabel('Model').fill('power-4');
  await second.getByLabel('Power of ground truth').fill('4');
  await dialog.getByLabel('Answers of each model').fill('20000');
  await dialog.getByLabel('Reason').fill('The evaluation expects more visits.');
  await second.getByLabel('Travellers, in percent').fill('60');
  await dialog.getByRole('button', { name: 'Start', exact: true }).click();
  await dialog.getByRole('alert').waitFor();
  await second.getByLabel('Travellers, in percent').fill('50');
  await visit.expectAccessible();
  await visit.photograph('experiments-start');
  await dialog.getByRole('button', { name: 'Start', exact: true }).click();
  await visit.heading('A steeper ground truth').waitFor();
  await page.getByText('Not concluded: it runs until').waitFor();

  await aSeason(dashboard);
  await page.reload();
  const answers = page.getByRole('table', { name: 'Answers of each model' }).locator('tbody tr');
  await answers.first().waitFor();
  const counts = await Promise.all((await answers.all()).map((row) => row.locator('td').first().innerText()));
  expect(counts.reduce((sum, count) => sum + Number(count), 0)).toBe(11);
  await page.getByText('Difference (second less first)').waitFor();
  await visit.expectAccessible();
  await visit.photograph('experiment');

  await page.getByRole('button', { name: 'End experiment' }).click();
  await dialog.getByRole('button', { name: 'End it now' }).click();
  await page.getByText('Not concluded: the operator ended it').waitFor();
  expect(await page.getByRole('button', { name: 'End experiment' }).count()).toBe(0);
  await page.getByRole('link', { name: 'All experiments' }).click();
  await page
    .getByRole('row', { name: /A steeper ground truth/ })
    .getByText('ended early')
    .waitFor();
  expect(complaints).toEqual([]);
});

test('an analyst reads experiments, and may not start one', async () => {
  const { token } = await dashboard.api<{ token: string }>('POST', '/api/operators', { name: 'A', role: 'analyst' });
  await using visit = await dashboard.open('/experiments', token);
  await visit.page.getByRole('row', { name: /A steeper ground truth/ }).waitFor();
  expect(await visit.page.getByRole('button', { name: 'Start experiment' }).count()).toBe(0);
});
