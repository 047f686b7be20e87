import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { DAY_MS } from '../../../../src/eventsourcing/durations.ts';
import { createApp } from '../../../../src/http/app.ts';
import { deliveryEvents, endpointEvents, suspendReceiver } from '../../../support/deliveries.ts';
import { openReceiver, type Receiver } from '../../../support/receiver.ts';
import { openService, type Service, withKey } from '../../../support/service.ts';
import { openBrowser } from '../chromium.ts';
import { START_MS, Visit } from './dashboard.ts';

// A service in this process, whose time the test moves by days.
let service: Service;
let server: ReturnType<typeof Bun.serve>;
let browser: Browser;
let receiver: Receiver;
let keyId: string;
let apiKey: string;
beforeAll(async () => {
  receiver = openReceiver();
  receiver.answer(() => new Response('', { status: 503 }));
  [service, browser] = await Promise.all([openService(), openBrowser()]);
  const app = createApp(service.node.context);
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => app.handle(request) });
  const { id, key } = await service.createKey({
    name: 'Trip planner',
    webhook_url: receiver.url,
    webhook_events: ['booking_confirmed'],
  });
  [keyId, apiKey] = [id, key];
  await suspendReceiver(service, withKey(key));
  for (const projection of ['deliveries', 'endpoints']) await service.documents(projection);
}, START_MS);
afterAll(async () => {
  await browser.close();
  await server.stop(true);
  await service.stop();
  await receiver[Symbol.asyncDispose]();
});

async function signedIn(path: string, token: string): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const visit = new Visit(context, page, server.url.origin);
  await visit.go(path);
  await page.getByLabel('API key or operator token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  return visit;
}

test('the owner of the key sees that the receiver is suspended, since when and why, and how to enable it', async () => {
  await using visit = await signedIn('/webhooks/receivers', apiKey);
  const { page, complaints } = visit;
  await visit.heading('Your webhook receiver').waitFor();
  const state = page.locator('dl.facts > div', { has: page.getByText('State', { exact: true }) });
  await state.getByText(/^suspended/).waitFor();
  const row = page.getByRole('row', { name: receiver.url });
  await row.getByText('answered 503').waitFor();
  await visit.expectAccessible();
  await row.getByRole('button', { name: 'Enable' }).click();
  await page.getByText('Test the receiver first').waitFor();
  await page.keyboard.press('Escape');
  await visit.go('/webhooks/deliveries?status=failed');
  await page.getByRole('link', { name: 'booking_confirmed' }).first().click();
  await visit.heading('Delivery of booking_confirmed').waitFor();
  expect(complaints).toEqual([]);
});

test('the start page of an operator names receivers that are suspended, and leads to them', async () => {
  await using visit = await signedIn('', service.node.secrets.adminToken);
  const { page } = visit;
  await page.getByRole('link', { name: '1 receiver is suspended: it gets no events' }).click();
  await page.getByRole('row', { name: receiver.url }).waitFor();
});

test('an operator sees which receiver is suspended and why, enables it, and sends what failed again', async () => {
  await using visit = await signedIn('/webhooks/receivers', service.node.secrets.adminToken);
  const { page } = visit;
  const row = page.getByRole('row', { name: receiver.url });
  await row.getByText('Trip planner').waitFor();
  expect((await row.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
    new RegExp(
      `URL of the key Trip planner ${keyId} suspended .* answered 503 The receiver failed\\. .* Deliveries Enable`,
    ),
  );
  await visit.expectAccessible();
  await visit.photograph('webhook-suspended');
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByRole('button', { name: 'Enable it' }).click();
  await page.getByText('is enabled: events that happen from now on are sent').waitFor();
  await page.getByText('Every receiver acknowledged its last event.').waitFor();

  receiver.answer(() => new Response('kept'));
  const before = receiver.received.length;
  await visit.go(`/webhooks/deliveries?status=failed&key=${keyId}`);
  await page.getByRole('link', { name: 'booking_confirmed' }).first().waitFor();
  await page.getByRole('button', { name: 'Send what did not arrive' }).click();
  expect(await page.getByRole('dialog').getByLabel('API key (id)').inputValue()).toBe(keyId);
  await page.getByLabel('Scheduled since (UTC)').fill('2026-11-20T00:00');
  await page.getByRole('button', { name: 'Send them again' }).click();
  await page.getByText('2 deliveries are sent again.').waitFor();
  await receiver.arrived(before + 2);
  expect(visit.complaints).toEqual([]);
});

describe('a receiver that fails', () => {
  test('is on the start page and on its own, and leaves both seconds after it was repaired, without a reload', async () => {
    await using other = openReceiver();
    other.answer(() => new Response('', { status: 401 }));
    const settings = { name: 'Route finder', webhook_url: other.url, webhook_events: ['booking_confirmed'] };
    const { id, key } = await service.createKey(settings);
    const [failed, failing] = [await count('AttemptFailed'), await count('EndpointFailing')];
    const booked = () => service.book({ booking_date: dateAhead() }, withKey(key));
    await booked();
    await deliveryEvents(service, 'AttemptFailed', failed + 1);
    await endpointEvents(service, 'EndpointFailing', failing + 1);
    for (const projection of ['deliveries', 'endpoints']) await service.documents(projection);

    await using home = await signedIn('', service.node.secrets.adminToken);
    const notice = home.page.getByRole('link', { name: '1 receiver fails: it acknowledges no event' });
    await notice.waitFor();
    await home.expectAccessible();
    await home.photograph('home-failing-receiver');
    await using operators = await signedIn('/webhooks/receivers', service.node.secrets.adminToken);
    const row = operators.page.getByRole('row', { name: other.url });
    await row.getByRole('link', { name: 'Route finder' }).waitFor();
    expect(await row.getByRole('link', { name: 'See the deliveries' }).getAttribute('href')).toEndWith(`?key=${id}`);
    await operators.photograph('failing-receivers');
    await using owners = await signedIn('/webhooks/receivers', key);
    const state = owners.page.locator('dl.facts > div', { has: owners.page.getByText('State', { exact: true }) });
    await state.getByText(/^failing/).waitFor();
    await owners.page.getByText('Last failure: answered 401').waitFor();

    other.answer(() => new Response('kept'));
    const [succeeded, begunMs] = [await count('DeliverySucceeded'), service.clock.nowMs()];
    await booked();
    await deliveryEvents(service, 'DeliverySucceeded', succeeded + 1);
    // The process manager may fold the event between two moments of the moved clock.
    while ((await count('EndpointRecovered')) === 0 && service.clock.nowMs() - begunMs < 30_000) {
      service.clock.advance(1_000);
      await service.documents('deliveries');
    }
    await state.getByText('no failure').waitFor();
    await row.waitFor({ state: 'detached' });
    await notice.waitFor({ state: 'detached' });
  });
});

async function count(type: string): Promise<number> {
  return (await service.events()).filter((event) => event.type.startsWith(`${type}.`)).length;
}

/** A day on which the activity can be booked, whatever the time of the service. */
function dateAhead(): string {
  return new Date(service.clock.nowMs() + 7 * DAY_MS).toISOString().slice(0, 10);
}
