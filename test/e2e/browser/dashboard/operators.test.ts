import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Dashboard, openDashboard, START_MS } from './dashboard.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await openDashboard();
}, START_MS);
afterAll(() => dashboard[Symbol.asyncDispose]());

/** The status of a request with this token. */
async function statusOf(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${dashboard.service.url}/api/bookings`, { headers })).status;
}

test('an admin creates an operator, changes the role, rotates and revokes the token', async () => {
  await using visit = await dashboard.open('/operators');
  const { page, complaints } = visit;
  await page.getByText('There is no named operator yet.').waitFor();
  const dialog = page.getByRole('dialog');

  await page.getByRole('button', { name: 'Create operator' }).click();
  await dialog.getByLabel('Name').fill('Mai, front desk');
  await dialog.getByLabel('Role').selectOption('support');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Mai, front desk is an operator with the role support.').waitFor();
  const token = await page.locator('.secret').innerText();
  expect(token).toMatch(/^wmo_[0-9a-f]{64}$/);
  expect(await statusOf(token)).toBe(200);
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await page.reload();
  const row = page.getByRole('row', { name: /Mai, front desk/ });
  await row.waitFor();
  expect(await page.content()).not.toContain(token);

  await row.getByRole('button', { name: 'Change' }).click();
  await dialog.getByLabel('Role').selectOption('analyst');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Mai, front desk has the role analyst.').waitFor();
  expect(await statusOf(token)).toBe(403);

  await row.getByRole('button', { name: 'Rotate token' }).click();
  await visit.expectAccessible();
  await dialog.getByRole('button', { name: 'Rotate' }).click();
  await page.getByText('Mai, front desk has a new token.').waitFor();
  const rotated = await page.locator('.secret').innerText();
  expect([await statusOf(token), await statusOf(rotated)]).toEqual([401, 403]);
  await visit.expectAccessible();
  await visit.photograph('operators');

  await row.getByRole('button', { name: 'Revoke' }).click();
  await dialog.getByRole('button', { name: 'Revoke for good' }).click();
  await page.getByText('Mai, front desk is revoked.').waitFor();
  await row.getByText('revoked').waitFor();
  expect(await statusOf(rotated)).toBe(401);
  expect(await row.getByRole('button').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('an admin who rotates the own token sees the new one, and goes on with it', async () => {
  const { token } = await dashboard.api<{ token: string }>('POST', '/api/operators', { name: 'Anong', role: 'admin' });
  await using visit = await dashboard.open('/operators', token);
  const { page, complaints } = visit;
  const dialog = page.getByRole('dialog');
  const row = page.getByRole('row', { name: /Anong/ });
  await row.getByRole('button', { name: 'Rotate token' }).click();
  await dialog.getByText('This page goes on with the new one').waitFor();
  await dialog.getByRole('button', { name: 'Rotate' }).click();
  await page.getByText('Anong has a new token.').waitFor();
  const rotated = await page.locator('.secret').innerText();
  expect([await statusOf(token), await statusOf(rotated)]).toEqual([401, 200]);
  await page.getByRole('button', { name: 'I have copied it' }).click();

  // The same if the page cannot sign in: the token stays until it was copied, whatever changes meanwhile.
  await page.route('**/api/sessions', (route) => route.abort());
  await row.getByRole('button', { name: 'Rotate token' }).click();
  await dialog.getByRole('button', { name: 'Rotate' }).click();
  await page.getByText('Sign in with it.').waitFor();
  const second = await page.locator('.secret').innerText();
  await dashboard.api('POST', '/api/operators', { name: 'Somebody else', role: 'viewer' });
  expect(await dialog.count()).toBe(0);
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('dialog', { name: 'Your session is over' }).waitFor();
  await page.unroute('**/api/sessions');
  await dialog.getByLabel('API key or operator token').fill(second);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('row', { name: /Somebody else/ }).waitFor();

  await row.getByRole('button', { name: 'Revoke' }).click();
  await dialog.getByText('you are signed out at once').waitFor();
  await dialog.getByRole('button', { name: 'Revoke for good' }).click();
  await page.getByRole('dialog', { name: 'Your session is over' }).waitFor();
  expect(await statusOf(second)).toBe(401);
  expect(complaints).toEqual([]);
});

test('by keyboard alone: a name that the API refuses is marked, and Escape closes the dialog', async () => {
  await using visit = await dashboard.open('/operators');
  const { page } = visit;
  await page.getByRole('button', { name: 'Create operator' }).focus();
  await page.keyboard.press('Enter');
  const name = page.getByRole('dialog').getByLabel('Name');
  await name.focus();
  await page.keyboard.insertText('A \u202e name');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('alert').waitFor();
  expect(await name.getAttribute('aria-invalid')).toBe('true');
  await page.keyboard.press('Escape');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.locator(':focus', { hasText: /^Create operator$/ }).waitFor();
});
