import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser } from 'playwright-core';
import { createApp } from '../../../../src/http/app.ts';
import { suspendReceiver } from '../../../support/deliveries.ts';
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
  const { id, key } = await service.createKey({ webhook_url: receiver.url, webhook_events: ['booking_confirmed'] });
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

test('an operator sees which receiver is suspended and why, enables it, and sends what failed again', async () => {
  await using visit = await signedIn('/webhooks/receivers', service.node.secrets.adminToken);
  const { page } = visit;
  const row = page.getByRole('row', { name: receiver.url });
  await row.waitFor();
  expect((await row.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
    new RegExp(`URL of the key ${keyId} suspended .* answered 503 Enable`),
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
