import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Dashboard, openDashboard, START_MS } from './dashboard.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await openDashboard();
}, START_MS);
afterAll(() => dashboard[Symbol.asyncDispose]());

const NOT_KNOWN = 'The token is not known';

describe('signing in', () => {
  test('shows the areas of the role, by keyboard alone, and is accessible', async () => {
    await using visit = await dashboard.open('');
    const { page, complaints } = visit;
    await visit.heading(/^Hello/).waitFor();
    await page.keyboard.press('Tab');
    await visit.expectAccessible();
    await visit.photograph('home');
    expect(complaints).toEqual([]);
  });

  test('as the owner of a key shows the name of the key, not the key', async () => {
    await using visit = await dashboard.open('', dashboard.service.apiKey);
    expect(await visit.page.content()).not.toContain(dashboard.service.apiKey);
    await visit.heading(/^Hello/).waitFor();
  });

  test('with a wrong key says so, keeps the form, and works with the right one', async () => {
    const visit = await dashboard.open('').catch(String);
    expect(visit).not.toBeString();
    if (typeof visit === 'string') return;
    await using opened = visit;
    const { page } = opened;
    await page.getByRole('button', { name: 'Sign out' }).click();
    const field = page.getByLabel('API key or operator token');
    await field.fill('0'.repeat(64));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toContain(NOT_KNOWN);
    await opened.expectAccessible();
    await opened.photograph('sign-in');
    await field.fill(dashboard.service.adminToken);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  });
});
