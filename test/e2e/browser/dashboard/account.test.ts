import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { addDays, localDate } from '../../../../src/domain/activity/schedule.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { type Dashboard, endSession, openDashboard, START_MS, type Visit } from './dashboard.ts';

type Key = { readonly id: string; readonly key: string; readonly prefix: string };
type Booking = { readonly booking_id: string; readonly pricing: { readonly total: number } };

let dashboard: Dashboard;
let owner: Key;
let booked: readonly Booking[];
beforeAll(async () => {
  dashboard = await openDashboard();
  const settings = { name: 'Trip planner', plan: 'premium', limits: { day_total: 90_000, currency: 'THB' } };
  owner = await dashboard.api<Key>('POST', '/api/keys', settings);
  booked = [await book('trip-41'), await book('trip-42')];
  await asOwner('POST', `/api/b2a/bookings/${booked[0]?.booking_id}/cancel`, { reason: 'user_requested' });
}, START_MS);
afterAll(() => dashboard[Symbol.asyncDispose]());

function asOwner<T>(method: string, path: string, body?: unknown): Promise<T> {
  return dashboard.api<T>(method, path, body, { authorization: '', 'x-api-key': owner.key });
}

function book(reference: string): Promise<Booking> {
  return asOwner<Booking>('POST', '/api/b2a/execute_booking', {
    activity_id: 'bkk-jim-thompson-house-tour',
    booking_date: addDays(localDate('Bangkok', Date.now()), 14),
    num_adults: 2,
    user_name: 'Mai Tran',
    user_email: 'mai@example.com',
    reference,
  });
}

/** A page of the key's owner, on which the key is nowhere. */
async function opened(path: string, heading: string, key = owner.key): Promise<Visit> {
  const visit = await dashboard.open(path, key);
  await visit.heading(heading).waitFor();
  expect(await visit.page.content()).not.toContain(key);
  return visit;
}

test('the page of the own key shows plan, limits, use and spending, and replaces the webhook secret', async () => {
  await using visit = await opened('/my/key', 'Your key');
  const { page, complaints } = visit;
  await page.getByRole('heading', { name: 'Trip planner' }).waitFor();
  const text = await page.getByRole('main').innerText();
  for (const expected of [owner.prefix, 'premium', 'Requests today (UTC): 3 of 10,000', 'Spent today, in THB', 'live'])
    expect(text).toContain(expected);
  expect(await page.getByText('Spending per day (UTC)').locator('..').innerText()).toContain('90,000.00');
  await visit.expectAccessible();
  await visit.photograph('account');
  await page.getByRole('button', { name: 'Replace the secret' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Replace', exact: true }).click();
  await page.getByText('The old secret signs too until').waitFor();
  expect(await page.locator('code.secret').innerText()).toMatch(/^whsec_/);
  await page.getByRole('button', { name: 'End the old secret' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End it' }).click();
  await page.getByText('The old secret signs too until').waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

test('the page of a test key explains its mode', async () => {
  const { key } = await dashboard.api<Key>('POST', '/api/keys', { name: 'Trial', mode: 'test' });
  await using visit = await opened('/my/key', 'Your key', key);
  const mode = visit.page.locator('section', { has: visit.page.getByRole('heading', { name: 'Mode' }) });
  const text = await mode.innerText();
  for (const expected of ['nothing is charged', 'bk_test_', 'no mail is sent', 'test: true'])
    expect(text).toContain(expected);
});

describe('bookings', () => {
  test('are listed and found by reference and status, and each has a page with its history', async () => {
    const [gone, kept] = booked;
    await using visit = await opened('/my/bookings', 'Your bookings');
    const { page, complaints } = visit;
    await page.getByRole('link', { name: gone?.booking_id ?? '' }).waitFor();
    await visit.expectAccessible();
    await visit.photograph('account-bookings');
    await page.getByLabel('Reference').fill('trip-42');
    await page.getByRole('button', { name: 'Filter' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: gone?.booking_id ?? '' }).waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Filter');
    expect(page.url()).toEndWith('/dashboard/my/bookings?reference=trip-42');
    await page.getByRole('link', { name: kept?.booking_id ?? '' }).click();
    await visit.heading(`Booking ${kept?.booking_id}`).waitFor();
    const history = page.getByRole('table', { name: 'What happened to the booking' });
    await history.waitFor();
    expect(await history.getByRole('row').count()).toBeGreaterThan(1);
    const text = await page.getByRole('main').innerText();
    for (const expected of ['confirmed', 'trip-42', 'Mai Tran', '2 adults', 'Voucher mailed'])
      expect(text).toContain(expected);
    expect(text).not.toContain('0 children');
    await visit.expectAccessible();
    await visit.photograph('account-booking');
    await page.goBack();
    expect(await page.getByLabel('Reference').inputValue()).toBe('trip-42');
    await page.getByLabel('Status').selectOption('cancelled');
    await page.getByLabel('Reference').fill('');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('link', { name: gone?.booking_id ?? '' }).click();
    await page.getByRole('heading', { name: 'Cancellation' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('of other keys are not found', async () => {
    await using visit = await opened(
      `/my/bookings/${booked[0]?.booking_id}`,
      `Booking ${booked[0]?.booking_id}`,
      dashboard.service.apiKey,
    );
    expect(await visit.page.getByRole('alert').innerText()).toContain("does not exist among this key's bookings");
  });
});

test('the statement shows the charges and refunds of a month with their totals', async () => {
  await using visit = await opened('/my/statement', 'Statement');
  const { page } = visit;
  const items = page.getByRole('table', { name: 'Charges and refunds of' });
  await items.getByRole('cell', { name: 'refund' }).waitFor();
  expect(await items.getByRole('row').count()).toBe(1 + 3);
  const [first, second] = booked.map(({ pricing }) => pricing.total);
  const totals = await page.getByRole('table', { name: 'Totals by currency' }).getByRole('row').last().innerText();
  const amount = (of = 0) => of.toLocaleString('en', { minimumFractionDigits: 2 });
  expect(totals).toContain(amount((first ?? 0) + (second ?? 0)));
  await visit.expectAccessible();
  await visit.photograph('account-statement');
  await page.getByLabel('Month (UTC)').fill('2020-01');
  await page.getByRole('button', { name: 'Show' }).click();
  await page.getByText('There is none in this month.').waitFor();
  expect(page.url()).toEndWith('?month=2020-01');
});

test('the statement says nothing of a month before it knows it, and shows no totals of another month', async () => {
  await using visit = await opened('/my/statement', 'Statement');
  const { page } = visit;
  const totals = page.getByRole('table', { name: 'Totals by currency' });
  await totals.waitFor();
  const months = page.url();
  let release: (() => Promise<void>) | undefined;
  const held = new Promise<void>((resolve) => {
    void page.route(/statement\?month=2020-01/, (route) => {
      release = () => route.continue();
      resolve();
    });
  });
  await page.getByLabel('Month (UTC)').fill('2020-01');
  await page.getByRole('button', { name: 'Show' }).click();
  await held;
  await page.getByRole('heading', { name: 'Totals of 2020-01' }).waitFor();
  expect([await totals.count(), await page.getByText('Nothing was charged').count()]).toEqual([0, 0]);
  await page.goBack();
  await totals.waitFor();
  const answered = page.waitForResponse(/statement\?month=2020-01/);
  await release?.();
  await answered;
  expect(page.url()).toBe(months);
  await totals.waitFor();
  await page.route(/statement\?month=2020-02/, (route) => route.abort());
  await page.getByLabel('Month (UTC)').fill('2020-02');
  await page.getByRole('button', { name: 'Show' }).click();
  await page.getByRole('alert').waitFor();
  expect([await totals.count(), await page.getByText('Nothing was charged').count()]).toEqual([0, 0]);
});

test('the snippets name the prefix of the key and not the key; those for curl and TypeScript work as they are', async () => {
  await using visit = await opened('/my/snippets', 'First requests');
  const { page } = visit;
  await visit.expectAccessible();
  await visit.photograph('account-snippets');
  const textOf = (label: string) =>
    page
      .getByRole('figure')
      .filter({ hasText: `Copy ${label}` })
      .locator('pre')
      .innerText();
  using directory = temporaryDirectory();
  const run = async (file: string, program: string, key: string | null) => {
    const path = join(directory.path, file);
    await Bun.write(path, await textOf(file === 'first.sh' ? 'curl' : 'TypeScript'));
    const env = { PATH: process.env['PATH'] ?? '', ...(key === null ? {} : { WAYMARK_KEY: key }) };
    const child = Bun.spawn([program, path], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [output, error] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    return { exitCode: await child.exited, output, error };
  };
  type Recommended = { readonly data: { readonly recommendations: readonly object[] } };
  const { output: recommended } = await run('first.sh', 'sh', owner.key);
  expect((JSON.parse(recommended) as Recommended).data.recommendations).toHaveLength(3);
  const quoted = await run('first.ts', process.execPath, owner.key);
  expect(quoted.error).toBe('');
  expect((JSON.parse(quoted.output) as { readonly price: number }).price).toBeGreaterThan(0);
  for (const [file, program] of [
    ['first.sh', 'sh'],
    ['first.ts', process.execPath],
  ] as const) {
    const { exitCode, error } = await run(file, program, null);
    expect(exitCode).not.toBe(0);
    expect(error).toContain(`Set WAYMARK_KEY to your key ${owner.prefix}…`);
  }
  expect(await textOf('Python')).toContain(`${dashboard.service.url}"`);
  const { mcpServers } = JSON.parse(await textOf('MCP')) as { readonly mcpServers: object };
  expect(mcpServers).toEqual({
    [`waymark-${owner.prefix}`]: {
      type: 'http',
      url: `${dashboard.service.url}/mcp`,
      headers: { 'x-api-key': '${WAYMARK_KEY}' },
    },
  });
});

test('the menu is open on a wide window, also after a tablet was turned', async () => {
  await using visit = await opened('/my/key', 'Your key');
  const { page } = visit;
  const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Statement' });
  await page.setViewportSize({ width: 820, height: 1180 });
  await page.reload();
  await page.getByText('Menu', { exact: true }).waitFor();
  await link.waitFor({ state: 'hidden' });
  await page.setViewportSize({ width: 1180, height: 820 });
  await link.waitFor();
  await page.setViewportSize({ width: 820, height: 1180 });
  await link.waitFor({ state: 'hidden' });
  await page.getByText('Menu', { exact: true }).click();
  await link.click();
  await visit.heading('Statement').waitFor();
  await link.waitFor({ state: 'hidden' });
});

describe('a session', () => {
  test('that is over keeps the page, which goes on after signing in; a wrong key is refused there', async () => {
    await using visit = await opened('/my/bookings', 'Your bookings');
    const { page } = visit;
    await page.getByLabel('Reference').fill('trip-42');
    expect(await endSession(page)).toBe(200);
    await page.getByRole('button', { name: 'Filter' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session is over' });
    await dialog.waitFor();
    await page.getByLabel('API key or operator token').fill('0'.repeat(64));
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await dialog.getByRole('alert').innerText()).toContain('no known API key');
    await page.getByLabel('API key or operator token').fill(owner.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: booked[1]?.booking_id ?? '' }).waitFor();
    expect(await page.getByLabel('Reference').inputValue()).toBe('trip-42');
  });

  test('of a key without a permission offers only the pages that the key may read', async () => {
    const reader = { name: 'Only reads', permissions: ['inventory'] };
    const { key } = await dashboard.api<Key>('POST', '/api/keys', reader);
    await using visit = await opened('', 'Hello, Only reads', key);
    const { page } = visit;
    const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    expect(await links.allInnerTexts()).toEqual(['Your key', 'First requests']);
    await visit.go('/webhooks/deliveries');
    await visit.heading('No such page').waitFor();
  });

  test('of an operator has none of these pages', async () => {
    await using visit = await dashboard.open('/my/key');
    await visit.heading('No such page').waitFor();
  });
});
