import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Dashboard, endSession, openDashboard, START_MS } from './dashboard.ts';

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await openDashboard();
}, START_MS);
afterAll(() => dashboard[Symbol.asyncDispose]());

const field = (page: Page) => page.getByLabel('API key or operator token');
const signIn = (page: Page) => page.getByRole('button', { name: 'Sign in' });
const signOut = (page: Page) => page.getByRole('button', { name: 'Sign out' });

describe('signing in', () => {
  test('works by keyboard alone, shows the pages of the role, and is accessible', async () => {
    await using visit = await dashboard.open('');
    const { page, complaints } = visit;
    await signOut(page).click();
    await field(page).focus();
    await page.keyboard.type(dashboard.service.adminToken);
    await page.keyboard.press('Enter');
    await visit.heading(/^Hello/).waitFor();
    await page.keyboard.press('Tab');
    await visit.expectAccessible();
    await visit.photograph('home');
    expect(complaints).toEqual([]);
  });

  test('as the owner of a key shows the prefix of the key, and never the key', async () => {
    const { apiKey } = dashboard.service;
    await using visit = await dashboard.open('', apiKey);
    await visit.heading(/^Hello/).waitFor();
    const content = await visit.page.content();
    expect(content).toContain(`pk_${apiKey.slice(0, 6)}`);
    expect(content).not.toContain(apiKey);
  });

  test('with a wrong key says so, keeps the form, and works with the right one', async () => {
    await using visit = await dashboard.open('');
    const { page } = visit;
    await signOut(page).click();
    await field(page).fill('0'.repeat(64));
    await signIn(page).click();
    expect(await page.getByRole('alert').innerText()).toContain('no known API key');
    await visit.expectAccessible();
    await visit.photograph('sign-in');
    await field(page).fill(dashboard.service.adminToken);
    await signIn(page).click();
    await signOut(page).waitFor();
  });
});

describe('a session that is over', () => {
  test('opens a dialog over the page, which goes on after signing in without being loaded again', async () => {
    await using visit = await dashboard.open('');
    const { page } = visit;
    let loads = 0;
    page.on('load', () => {
      loads += 1;
    });
    await visit.heading(/^Hello/).waitFor();
    expect(await endSession(page)).toBe(200);
    await signOut(page).click();
    await signIn(page).waitFor();
    await field(page).fill(dashboard.service.adminToken);
    await signIn(page).click();
    await signOut(page).waitFor();
    expect(loads).toBe(0);
  });

  test('keeps its dialog after Escape was pressed twice', async () => {
    await using visit = await dashboard.open('/bookings');
    const { page } = visit;
    await page.getByText('No booking matches.').waitFor();
    expect(await endSession(page)).toBe(200);
    await page.getByLabel('City').selectOption('Bangkok');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('dialog').waitFor();
    await field(page).fill('half of a token');
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Your session is over' }).waitFor();
    expect(await page.evaluate<boolean>('document.querySelector("dialog").matches(":modal")')).toBe(true);
    expect(await field(page).inputValue()).toBe('half of a token');
    await field(page).fill(dashboard.service.adminToken);
    await signIn(page).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('in one of two tabs is over in the other, and signing in serves both', async () => {
    await using visit = await dashboard.open('');
    const other = await visit.context.newPage();
    await other.goto(visit.page.url());
    await signOut(other).click();
    await field(visit.page).waitFor();
    await field(visit.page).fill(dashboard.service.adminToken);
    await signIn(visit.page).click();
    await signOut(other).waitFor();
  });
});

test('the landing page links the guide, the reference, the gate and the dashboard, and is accessible', async () => {
  await using visit = await dashboard.open('');
  await visit.page.goto(dashboard.service.url);
  const links = await visit.page.getByRole('link').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  expect(links).toEqual(['/llms.txt', '/docs', '/openapi.json', '/openapi-operators.json', '/gate', '/dashboard']);
  for (const link of links) expect((await fetch(`${dashboard.service.url}${link}`)).status).toBe(200);
  await visit.expectAccessible();
  await visit.photograph('landing');
  expect(visit.complaints).toEqual([]);
});
