import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { verifyWebhook } from '../../../../examples/verify-webhook.ts';
import { openReceiver, type Receiver } from '../../../support/receiver.ts';
import { type Dashboard, openDashboard, START_MS } from './dashboard.ts';

const WRONG_SECRET = 'whsec_MzIgYnl0ZXMsIHdoaWNoIG9ubHkgYSB0ZXN0IHVzZXM=';

type Key = { readonly id: string; readonly key: string; readonly webhook_secret: string };

let dashboard: Dashboard;
let receiver: Receiver;
let key: Key;
beforeAll(async () => {
  receiver = openReceiver();
  dashboard = await openDashboard({ MAIL_WAIT_MS: '0' });
  key = await dashboard.api<Key>('POST', '/api/keys', {
    name: 'Trip planner',
    plan: 'premium',
    webhook_url: `${receiver.url}/hooks`,
    webhook_events: ['booking_confirmed'],
  });
}, START_MS);
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

/** The receiver verifies signatures with this secret, and refuses those that do not match. */
function verifyingWith(secret: string): void {
  receiver.answer(({ headers, body }) => {
    const event = verifyWebhook(headers, body, secret, Date.now());
    return event === null ? new Response('no', { status: 401 }) : new Response('kept');
  });
}

/** Books with the key, and waits until the log shows the first attempt. */
async function book(status: 'success' | 'retrying', userName = 'Ada Lovelace'): Promise<string> {
  const headers = { 'x-api-key': key.key };
  type Offers = {
    readonly inventory: readonly { readonly activity_id: string }[];
    readonly metadata: { readonly query_date: string };
  };
  const offers = await dashboard.api<Offers>('GET', '/api/b2a/inventory?city=Bangkok&limit=1', undefined, headers);
  const wish = {
    activity_id: offers.inventory[0]?.activity_id,
    booking_date: offers.metadata.query_date,
    user_name: userName,
    user_email: 'ada@example.com',
    num_adults: 2,
  };
  const before = receiver.received.length;
  const booked = await dashboard.api<{ readonly booking_id: string }>(
    'POST',
    '/api/b2a/execute_booking',
    wish,
    headers,
  );
  await receiver.arrived(before + 1);
  await logged(booked.booking_id, status);
  return booked.booking_id;
}

/** Resolves when the delivery log shows the booking's delivery with this status. */
async function logged(bookingId: string, status: string): Promise<void> {
  const path = `/api/webhooks/deliveries?booking_id=${bookingId}&status=${status}`;
  for (;;) {
    const { items } = await dashboard.api<{ readonly items: readonly unknown[] }>('GET', path);
    if (items.length > 0) return;
  }
}

const deliveries = (page: Page, event = 'booking_confirmed') => page.getByRole('link', { name: event });

describe('the developer of a receiver that refuses the signature', () => {
  test('sees what was sent and why it failed, compares the signature, repairs, and sends it again', async () => {
    verifyingWith(WRONG_SECRET);
    const booking = await book('retrying');
    const refused = receiver.received.at(-1);
    await using visit = await dashboard.open('/webhooks/receivers', key.key);
    const { page, complaints } = visit;
    await page.getByText('Last failure: answered 401').waitFor();
    await visit.expectAccessible();
    await visit.photograph('webhook-last-failure');
    await page.getByRole('link', { name: 'Check the signature of this delivery' }).click();
    await visit.heading('Delivery of booking_confirmed').waitFor();
    await page.getByText('Last answer: answered 401.').waitFor();
    expect(await page.getByText(/as it does when the signature does not match/).count()).toBe(1);
    expect(await page.locator('pre').innerText()).toBe(JSON.stringify(JSON.parse(refused?.body ?? ''), null, 2));
    // The check stands under the refusal, with the delivery's own values.
    await visit.heading('Check the signature', 2).waitFor();
    expect(await page.getByLabel('webhook-timestamp').inputValue()).toMatch(/^\d{10}$/);
    await page.getByLabel('webhook-timestamp').fill(refused?.headers.get('webhook-timestamp') ?? '');
    await page.getByLabel('Signature that your server received').fill(refused?.headers.get('webhook-signature') ?? '');
    await page.getByLabel('Webhook secret').fill(WRONG_SECRET);
    await page.getByRole('button', { name: 'Compute' }).click();
    await page.getByRole('alert').getByText('The signature does not match.').waitFor();
    await page.getByLabel('Webhook secret').fill(key.webhook_secret);
    await page.keyboard.press('Enter');
    await page.getByText('The signature matches: the secret is right.').waitFor();
    await page.getByText(refused?.headers.get('x-service-signature') ?? 'none').waitFor();
    await page.getByText(refused?.headers.get('webhook-signature') ?? 'none').waitFor();
    await visit.expectAccessible();
    await visit.photograph('webhook-delivery');

    verifyingWith(key.webhook_secret);
    await page.getByRole('button', { name: 'Send again' }).click();
    const before = receiver.received.length;
    await page.getByText('is sent now, to the present URL of its receiver').waitFor();
    await page.getByRole('button', { name: 'Send it now' }).click();
    await page.getByText('It is sent again now.').waitFor();
    const accepted = await receiver.arrived(before + 1);
    expect([accepted.body, accepted.headers.get('webhook-id')]).toEqual([
      refused?.body ?? '',
      refused?.headers.get('webhook-id') ?? '',
    ]);
    await logged(booking, 'success');
    await page.reload();
    await page.getByText('The receiver acknowledged it.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('reads how to verify a signature in TypeScript and Python', async () => {
    await using visit = await dashboard.open('/webhooks/verify', key.key);
    const { page } = visit;
    await visit.heading('Verify webhook signatures').waitFor();
    expect(await page.locator('pre').allInnerTexts()).toEqual([
      expect.stringContaining('export function verifyWebhook('),
      expect.stringContaining('def verify_webhook(headers, body: bytes, secret: str, now: float):'),
    ]);
    await visit.expectAccessible();
    await visit.photograph('webhook-verify');
  });

  test('changes URL and events, and tests the receiver', async () => {
    verifyingWith(key.webhook_secret);
    await using visit = await dashboard.open('/webhooks/receivers', key.key);
    const { page, complaints } = visit;
    await page.getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill('ftp://agent.example');
    await dialog.getByRole('button', { name: 'Save' }).click();
    expect(await dialog.getByRole('alert').innerText()).toContain('webhook_url must be');
    expect(await dialog.getByLabel('URL').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('URL').fill(`${receiver.url}/moved`);
    await dialog.getByLabel('qr_verified').check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText(`Events that happen from now on are sent to ${receiver.url}/moved.`).waitFor();
    await page.getByText('booking_confirmed, qr_verified').waitFor();

    await page.getByLabel('Event').selectOption('qr_verified');
    await page.getByRole('button', { name: 'Send the test' }).click();
    await page.getByText(/answered 200 after/).waitFor();
    const tested = receiver.received.at(-1);
    expect([tested?.path, JSON.parse(tested?.body ?? '{}').event]).toEqual(['/moved', 'qr_verified']);
    expect(await page.getByText(tested?.headers.get('x-service-signature') ?? 'none').count()).toBe(1);
    await visit.expectAccessible();
    await visit.photograph('webhook-receiver');

    receiver.answer(() => new Response('', { status: 400 }));
    await page.getByRole('button', { name: 'Send the test' }).click();
    await page.getByText('does not accept its content').waitFor();
    receiver.answer(() => new Response('', { status: 302, headers: { location: '/elsewhere' } }));
    await page.getByRole('button', { name: 'Send the test' }).click();
    await page.getByText('The URL redirects.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('replays a period, and the page says what happened', async () => {
    receiver.answer(() => new Response('kept'));
    await using visit = await dashboard.open('/webhooks/deliveries', key.key);
    const { page } = visit;
    const before = receiver.received.length;
    await page.getByRole('button', { name: 'Replay a period' }).click();
    await page.getByLabel('Happened since (UTC)').fill(new Date().toISOString().slice(0, 10).concat('T00:00'));
    await page.getByLabel('Until (UTC)').fill('2020-01-01T00:00');
    await page.getByRole('button', { name: 'Send all events of the period' }).click();
    await page
      .getByRole('alert')
      .getByText(/is after to/)
      .first()
      .waitFor();
    await page.getByLabel('Until (UTC)').fill('');
    await page.getByRole('button', { name: 'Send all events of the period' }).click();
    await page.getByText(/^\d+ events? (?:is|are) sent again\.$/).waitFor();
    const replayed = await receiver.arrived(before + 1);
    expect(replayed.headers.get('x-service-event')).toBe('booking_confirmed');
  });
});

describe('an operator', () => {
  test('sees the deliveries of all keys, narrows them to one, and reads the guest in a single one only', async () => {
    receiver.answer(() => new Response('', { status: 503 }));
    const other = await dashboard.api<Key>('POST', '/api/keys', { name: 'Other', webhook_url: receiver.url });
    await dashboard.api('POST', '/api/webhooks/test', { event_type: 'qr_verified', key: other.id });
    const booking = await book('retrying', 'Grace Hopper');
    await using visit = await dashboard.open('/webhooks/deliveries');
    const { page, complaints } = visit;
    await page.getByText(booking).first().waitFor();
    await deliveries(page, 'qr_verified').first().waitFor();
    await visit.expectAccessible();
    await visit.photograph('webhook-deliveries');
    await page.getByLabel('API key (id)').fill(key.id);
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.waitForURL(new RegExp(`key=${key.id}`));
    await page.getByText(other.id).waitFor({ state: 'hidden' });
    expect(await page.content()).not.toContain('Grace Hopper');
    const named = page.getByRole('row').filter({ hasText: key.id }).getByRole('link', { name: 'Trip planner' });
    expect(await named.first().getAttribute('href')).toBe(`/dashboard/keys/${key.id}`);
    await deliveries(page).first().click();
    await page.getByText('Grace Hopper').waitFor();
    await page.getByRole('link', { name: 'Trip planner' }).waitFor();
    await page.getByText('The receiver failed. Its log at the time of the attempt says why').waitFor();
    // Each read is recorded as a read of the guest: the page makes none by itself.
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    let reads = 0;
    page.on('request', (request) => {
      if (request.url().endsWith(`/api/webhooks/deliveries/${id}`)) reads += 1;
    });
    await dashboard.api('POST', '/api/webhooks/test', { event_type: 'qr_verified', key: other.id });
    await page.getByText('Deliveries have changed since, perhaps this one.').waitFor();
    expect(reads).toBe(0);
    await page.getByRole('button', { name: 'Show the latest' }).click();
    await page.getByText('Deliveries have changed since').waitFor({ state: 'detached' });
    expect(reads).toBe(1);
    expect(complaints).toEqual([]);
  });

  test('of the role viewer reads no guest and sends nothing', async () => {
    const viewer = await dashboard.api<{ readonly token: string }>('POST', '/api/operators', {
      name: 'Vi',
      role: 'viewer',
    });
    await using visit = await dashboard.open('/webhooks/deliveries', viewer.token);
    const { page } = visit;
    await deliveries(page).first().waitFor();
    expect(await page.getByText('Send several again').count()).toBe(0);
    expect(await page.getByText(key.id).first().innerText()).toBe(key.id);
    expect(await page.content()).not.toContain('Trip planner');
    await deliveries(page).first().click();
    await page.getByText('[hidden]').first().waitFor();
    expect(await page.content()).not.toContain('Grace Hopper');
    expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(0);
    await visit.go('/webhooks/receivers');
    await visit.heading('Webhook receivers').waitFor();
    expect(await page.getByText('Send a test').count()).toBe(0);
  });
});
