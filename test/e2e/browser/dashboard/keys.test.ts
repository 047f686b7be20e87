import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Dashboard, endSession, openDashboard, pressTabUntil, START_MS } from './dashboard.ts';

type Key = {
  readonly id: string;
  readonly key: string;
  readonly prefix: string;
  readonly plan: string;
  readonly active: boolean;
  readonly expires_at: string | null;
  readonly webhook_events: readonly string[];
  readonly permissions: readonly string[];
  readonly limits: object;
};

let dashboard: Dashboard;
beforeAll(async () => {
  dashboard = await openDashboard();
}, START_MS);
afterAll(() => dashboard[Symbol.asyncDispose]());

const createKey = (settings: object) => dashboard.api<Key>('POST', '/api/keys', settings);
const keyOf = (id: string) => dashboard.api<Key>('GET', `/api/keys/${id}`);

/** The status of a request with a key, and the code of a refusal. */
async function asked(key: string): Promise<string> {
  const response = await fetch(`${dashboard.service.url}/api/health`, { headers: { 'x-api-key': key } });
  const { code = '' } = (await response.json()) as { readonly code?: string };
  return `${response.status} ${code}`.trim();
}

/** Opens the dialog of an action, and sends its form. */
async function act(page: Page, action: string, submit: string, fill?: () => Promise<void>): Promise<void> {
  await page.getByRole('button', { name: action, exact: true }).click();
  await fill?.();
  await page.getByRole('dialog').getByRole('button', { name: submit, exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const secretOf = (page: Page, label: string) =>
  page.locator('.notice').filter({ hasText: label }).locator('code').innerText();

describe('the list of keys', () => {
  test('shows prefix, plan, permissions, last use and the use of the limits; filters stand in the address', async () => {
    const busy = await createKey({ name: 'Busy', plan: 'free', permissions: ['inventory'] });
    await createKey({ name: 'Idle', plan: 'premium' });
    await fetch(`${dashboard.service.url}/api/b2a/inventory?city=Bangkok`, { headers: { 'x-api-key': busy.key } });
    await using visit = await dashboard.open('/keys');
    const { page, complaints } = visit;
    await rowOf(page, 'Busy').waitFor();
    const cells = await rowOf(page, 'Busy').getByRole('cell').allInnerTexts();
    expect([cells[0], cells[1], cells[2], cells[3], cells[5]]).toEqual([
      busy.prefix,
      'active',
      'free',
      'inventory',
      '1 of 100',
    ]);
    expect(cells[4]).not.toBe('never');
    expect(await rowOf(page, 'Idle').innerText()).toContain('never');
    await visit.expectAccessible();
    await visit.photograph('keys');
    await page.getByLabel('Plan').selectOption('premium');
    await rowOf(page, 'Busy').waitFor({ state: 'detached' });
    expect(page.url()).toEndWith('/dashboard/keys?plan=premium');
    await rowOf(page, 'Idle').waitFor();
    expect(complaints).toEqual([]);
  });

  test('creates a key, and shows it and its webhook secret once', async () => {
    await using visit = await dashboard.open('/keys');
    const { page } = visit;
    await act(page, 'Create a key', 'Create', async () => {
      await page.getByLabel('Name', { exact: true }).fill('Trip planner');
      await page.getByLabel('Mode').selectOption('test');
      await page.getByRole('dialog').getByLabel('Plan').selectOption('basic');
      await page.getByLabel('recommend', { exact: true }).uncheck();
      await visit.expectAccessible();
      await visit.photograph('create-key');
    });
    const key = await secretOf(page, 'API key.');
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(await secretOf(page, 'Webhook secret.')).toMatch(/^whsec_/);
    expect(await asked(key)).toBe('200');
    await rowOf(page, 'Trip planner').waitFor();
    await visit.photograph('created-key');
    await page.getByRole('button', { name: 'I have copied both' }).click();
    await page.reload();
    await rowOf(page, 'Trip planner').getByRole('link').click();
    await visit.heading('Trip planner').waitFor();
    expect(await page.content()).not.toContain(key);
    const { id } = { id: page.url().split('/').at(-1) ?? '' };
    const { plan, permissions, webhook_events } = await keyOf(id);
    expect([plan, permissions, webhook_events.length]).toEqual([
      'basic',
      ['execute_booking', 'inventory', 'webhook'],
      5,
    ]);
  });
});

test('a key is created and copied by keyboard alone', async () => {
  await using visit = await dashboard.open('/keys');
  const { page, context } = visit;
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await rowOf(page, 'Idle').waitFor();
  await pressTabUntil(page, /^Create a key$/);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await pressTabUntil(page, /^Name$/);
  await page.keyboard.type('By keyboard');
  await pressTabUntil(page, /^Create$/);
  await page.keyboard.press('Enter');
  const key = await secretOf(page, 'API key.');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await pressTabUntil(page, /^Copy$/);
  await page.keyboard.press('Enter');
  await page.getByText('Copied', { exact: true }).waitFor();
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(key);
  expect(await asked(key)).toBe('200');
});

test('a page that had no live stream for a time loads again when it has one', async () => {
  await using visit = await dashboard.open('/keys');
  const { page } = visit;
  await page.clock.install();
  let refusals = 0;
  await page.route('**/api/live', (route) => {
    refusals += 1;
    return route.fulfill({ status: 503 });
  });
  const refused = page.waitForResponse('**/api/live');
  await visit.go('/keys');
  await refused;
  await rowOf(page, 'Idle').waitFor();
  await createKey({ name: 'Made meanwhile' });
  await page.unroute('**/api/live');
  await page.clock.fastForward(30_000);
  await rowOf(page, 'Made meanwhile').waitFor();
  expect(refusals).toBe(1);
});

describe('the page of a key', () => {
  test('shows its use and its limits, and changes what the form changes, and nothing else', async () => {
    const { id, key } = await createKey({
      name: 'Changed',
      plan: 'premium',
      limits: { day_total: 900, currency: 'THB' },
    });
    await fetch(`${dashboard.service.url}/api/b2a/inventory?city=Atlantis`, { headers: { 'x-api-key': key } });
    const before = await keyOf(id);
    await using visit = await dashboard.open(`/keys/${id}`);
    const { page, complaints } = visit;
    await visit.heading('Changed').waitFor();
    const use = page.getByRole('table', { name: 'Answered requests today by operation' });
    expect(await use.getByRole('row').last().innerText()).toMatch(/inventory\s+0\s+1\s+0/);
    expect(await page.getByText('Requests today (UTC): 1 of 10,000').count()).toBe(1);
    await visit.expectAccessible();
    await visit.photograph('key');
    await page.getByLabel('Plan').selectOption('basic');
    await page.getByLabel('Per booking').fill('500.5');
    await page.getByLabel('Open holds').fill('');
    await page.getByLabel('Expires (UTC)').fill('2030-01-31T12:30');
    await page.getByLabel('voucher_delivered').uncheck();
    await page.getByRole('button', { name: 'Save the changes' }).click();
    await page.getByText('Saved: plan, webhook_events, expires_at, limits.').waitFor();
    const after = await keyOf(id);
    expect([after.plan, after.expires_at, after.permissions]).toEqual([
      'basic',
      '2030-01-31T12:30:00.000Z',
      before.permissions,
    ]);
    expect(after.webhook_events).toEqual(before.webhook_events.filter((event) => event !== 'voucher_delivered'));
    expect<object>(after.limits).toEqual({
      ...before.limits,
      open_holds: null,
      unpaid_share: 0.5,
      refundable_guests: 200,
      booking_total: 500.5,
    });
    expect(complaints).toEqual([]);
  });

  test('shows times with their zone, which is not that of the fields', async () => {
    const { id } = await createKey({ name: 'In Bangkok', expires_at: '2030-01-31T10:00:00Z' });
    await using visit = await dashboard.open(`/keys/${id}`, dashboard.service.adminToken, {
      timezoneId: 'Asia/Bangkok',
    });
    const { page } = visit;
    await page.getByText('31 Jan 2030, 17:00:00 GMT+7').waitFor();
    await page.getByTitle('2030-01-31 10:00:00 UTC').waitFor();
    expect(await page.getByLabel('Expires (UTC)').inputValue()).toBe('2030-01-31T10:00');
  });

  test('says why a change is refused, and marks its field', async () => {
    const { id } = await createKey({ name: 'Refused', plan: 'basic' });
    await using visit = await dashboard.open(`/keys/${id}`);
    const { page } = visit;
    await page.getByLabel('Allowed addresses').fill('192.0.2.0/24');
    await page.getByRole('button', { name: 'Save the changes' }).click();
    expect(await page.getByRole('alert').innerText()).toContain('ip_allowlist needs the plan "enterprise"');
    expect(await page.getByLabel('Allowed addresses').getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByLabel('Hotels').getAttribute('aria-invalid')).toBeNull();
  });

  test('rotates the key with an overlap, deactivates and activates it', async () => {
    const { id, key: old, prefix } = await createKey({ name: 'Rotated' });
    await using visit = await dashboard.open(`/keys/${id}`);
    const { page } = visit;
    await act(page, 'Rotate', 'Rotate', () => page.getByLabel('Overlap in hours').fill('2'));
    const value = await secretOf(page, 'New API key.');
    await page.getByText(`The old value ${prefix} works until`).waitFor();
    expect([await asked(old), await asked(value)]).toEqual(['200', '200']);
    await visit.photograph('rotated-key');
    await act(page, 'Deactivate', 'Deactivate');
    await page.getByText('The key is inactive.').waitFor();
    expect(await asked(value)).toBe('403 KEY_INACTIVE');
    await act(page, 'Activate', 'Activate');
    await page.getByText('The key is active.').waitFor();
    expect(await asked(value)).toBe('200');
    await page.reload();
    await visit.heading('Rotated').waitFor();
    expect(await page.content()).not.toContain(value);
  });

  test('replaces the webhook secret, says until when the old one signs, and ends it', async () => {
    const { id } = await createKey({ name: 'Signed', webhook_url: `${dashboard.service.url}/receiver` });
    await using visit = await dashboard.open(`/keys/${id}`);
    const { page } = visit;
    await act(page, 'Replace the secret', 'Replace');
    expect(await secretOf(page, 'New webhook secret.')).toMatch(/^whsec_/);
    await page.getByText('The old secret signs too until').waitFor();
    await act(page, 'End the old secret', 'End it');
    await page.getByText('The old secret signs too until').waitFor({ state: 'detached' });
  });
});

test('a session that is over keeps the page and its form, which is sent after signing in', async () => {
  const { id } = await createKey({ name: 'Interrupted', plan: 'basic' });
  await using visit = await dashboard.open(`/keys/${id}`);
  const { page } = visit;
  await page.getByLabel('Name', { exact: true }).fill('Continued');
  expect(await endSession(page)).toBe(200);
  const save = page.getByRole('button', { name: 'Save the changes' });
  await save.click();
  await page.getByRole('dialog', { name: 'Your session is over' }).waitFor();
  await page.getByLabel('API key or operator token').fill(dashboard.service.adminToken);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Continued');
  await save.click();
  await visit.heading('Continued').waitFor();
});

test('other roles and key owners see no keys', async () => {
  const { token } = await dashboard.api<{ readonly token: string }>('POST', '/api/operators', {
    name: 'Sam',
    role: 'support',
  });
  for (const caller of [token, dashboard.service.apiKey]) {
    await using visit = await dashboard.open('/keys', caller);
    await visit.heading('No such page').waitFor();
    expect(await visit.page.getByRole('link', { name: 'API keys' }).count()).toBe(0);
  }
});
