import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { openReceiver, type Receiver } from '../../../support/receiver.ts';
import { Agent, type Booked } from './agent.ts';
import { type Dashboard, openDashboard, START_MS } from './dashboard.ts';

let dashboard: Dashboard;
let receiver: Receiver;
let agent: Agent;
/** Its deliveries are there, acknowledged, before the tests. */
let booked: Booked;
beforeAll(async () => {
  [dashboard, receiver] = [await openDashboard({ MAIL_WAIT_MS: '0' }), openReceiver()];
  agent = await Agent.of(dashboard, { webhook_url: `${receiver.url}/hooks` });
  booked = await agent.book();
  await agent.logged(booked, 'success');
}, START_MS);
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const deliveries = (page: Page, event = 'booking_confirmed') => page.getByRole('link', { name: event });

describe('the delivery log', () => {
  test('has its filters in the address: a link, a reload and the back button show the same', async () => {
    await using visit = await dashboard.open('/webhooks/deliveries', agent.key);
    const { page } = visit;
    await deliveries(page).first().waitFor();
    await page.getByLabel('Event').selectOption('booking_modified');
    await page.getByLabel('From (UTC)').fill('2026-01-01');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.waitForURL(/event=booking_modified/);
    expect(new URL(page.url()).search).toBe('?event=booking_modified&from=2026-01-01');
    await page.getByRole('link', { name: 'Failed' }).click();
    await page.waitForURL(/status=failed/);
    await page.reload();
    await page.getByText('No delivery matches.').waitFor();
    expect(await page.getByLabel('Event').inputValue()).toBe('booking_modified');
    await page.goBack();
    await page.waitForURL(/from=2026-01-01$/);
    await page.getByLabel('Booking').fill('bk_none');
    await page.getByLabel('Event').selectOption('');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.waitForURL(/booking_id=bk_none/);
    await page.getByText('No delivery matches.').waitFor();
  });

  test('opens a delivery and sends it again by keyboard alone', async () => {
    receiver.answer(() => new Response('kept'));
    await using visit = await dashboard.open('/webhooks/deliveries', agent.key);
    const { page } = visit;
    await deliveries(page).first().waitFor();
    await deliveries(page).first().focus();
    await page.keyboard.press('Enter');
    await visit.heading(/^Delivery of/).waitFor();
    await page.keyboard.press('Tab');
    await page.locator(':focus', { hasText: /^Send again$/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.locator(':focus', { hasText: /^Send again$/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Send it now' }).focus();
    const before = receiver.received.length;
    await page.keyboard.press('Enter');
    await receiver.arrived(before + 1);
    await page.getByText('It is sent again now.').waitFor();
  });

  test('narrows by event, booking and days to what matches', async () => {
    const other = await agent.book({ user_name: 'Grace Hopper' });
    await agent.logged(other, 'success');
    await dashboard.api('POST', `/api/b2a/bookings/${other.booking_id}/modify`, { num_adults: 3 }, agent.headers);
    await using visit = await dashboard.open('/webhooks/deliveries', agent.key);
    const { page } = visit;
    const rows = page.locator('tbody tr');
    const filter = async (fields: Readonly<Record<string, string>>): Promise<void> => {
      for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value);
      await page.getByRole('button', { name: 'Filter' }).click();
    };
    const today = new Date().toISOString().slice(0, 10);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    await deliveries(page, 'booking_modified').waitFor();
    await filter({ Booking: booked.booking_id, 'From (UTC)': today, 'To (UTC)': tomorrow });
    await deliveries(page, 'booking_modified').waitFor({ state: 'detached' });
    await rows.filter({ hasText: booked.booking_id }).first().waitFor();
    expect(await rows.filter({ hasText: other.booking_id }).count()).toBe(0);
    await page.getByLabel('Event').selectOption('booking_modified');
    await filter({ Booking: '' });
    await rows.filter({ hasText: other.booking_id }).waitFor();
    expect(await rows.count()).toBe(1);
    await filter({ 'From (UTC)': tomorrow });
    await page.getByText('No delivery matches.').waitFor();
  });

  test('shows each attempt of a delivery with its status and time', async () => {
    receiver.answer(() => new Response('', { status: 503 }));
    const failing = await agent.book({ user_name: 'Hedy Lamarr' });
    await agent.logged(failing, 'retrying');
    await using visit = await dashboard.open(`/webhooks/deliveries?booking_id=${failing.booking_id}`, agent.key);
    const { page } = visit;
    await deliveries(page).click();
    const attempts = page.getByRole('table', { name: 'Attempts, oldest first' }).locator('tbody tr');
    await attempts.waitFor();
    receiver.answer(() => new Response('kept'));
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByRole('button', { name: 'Send it now' }).click();
    await page.getByText('The receiver acknowledged it.').waitFor();
    const told = (await attempts.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    expect(told).toEqual([
      expect.stringMatching(/^1 .+ 503 [\d,]+ ms answered 503$/),
      expect.stringMatching(/^2 .+ 200 [\d,]+ ms acknowledged$/),
    ]);
    await visit.expectAccessible();
  });
});

test('a replay that failed on its way says how many were sent, and goes on with the same Idempotency-Key', async () => {
  await using visit = await dashboard.open('/webhooks/deliveries', agent.key);
  const { page } = visit;
  const asked: (readonly [key: string | undefined, cursor: string | null])[] = [];
  await page.route('**/api/webhooks/replay', async (route) => {
    const { cursor = null } = route.request().postDataJSON() as { readonly cursor?: string };
    asked.push([route.request().headers()['idempotency-key'], cursor]);
    if (asked.length === 2) return route.abort();
    const next_cursor = cursor === null ? 'page-2' : null;
    return route.fulfill({
      json: { success: true, data: { replay_id: 'rpl_1', scheduled: 500, suspended: 0, next_cursor } },
    });
  });
  await page.getByRole('button', { name: 'Replay a period' }).click();
  await page.getByLabel('Happened since (UTC)').fill('2026-11-20T00:00');
  await page.getByRole('button', { name: 'Send all events of the period' }).click();
  await page
    .getByRole('alert')
    .filter({ hasText: '500 are sent again, the others not yet: The service cannot' })
    .waitFor();
  await page.getByRole('button', { name: 'Send all events of the period' }).click();
  await page.getByText('1000 events are sent again.').waitFor();
  const [first] = asked;
  expect(first?.[0]).toMatch(/^[0-9a-f]{32}$/);
  const [of] = first ?? [];
  expect(asked).toEqual([
    [of, null],
    [of, 'page-2'],
    [of, null],
    [of, 'page-2'],
  ]);
  await page.getByRole('button', { name: 'Replay a period' }).click();
  await page.getByLabel('Happened since (UTC)').fill('2026-11-20T00:00');
  await page.getByRole('button', { name: 'Send all events of the period' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(asked.at(-1)?.[0]).not.toBe(of);
});
