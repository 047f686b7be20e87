import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { openReceiver, type Receiver } from '../../../support/receiver.ts';
import { Agent, type Booked, COOKING_CLASS } from './agent.ts';
import { type Dashboard, openDashboard, START_MS } from './dashboard.ts';

let dashboard: Dashboard;
let receiver: Receiver;
let agent: Agent;
let viewer: string;
beforeAll(async () => {
  [dashboard, receiver] = [await openDashboard({ MAIL_WAIT_MS: '20000' }), openReceiver()];
  agent = await Agent.of(dashboard, { webhook_url: receiver.url });
  const made = { name: 'Vi', role: 'viewer' };
  viewer = (await dashboard.api<{ token: string }>('POST', '/api/operators', made)).token;
}, START_MS);
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

function at({ booking_id: id }: Booked): string {
  return `/bookings/${id}`;
}

async function said(page: Page, text: string | RegExp): Promise<void> {
  await page.getByRole('status').filter({ hasText: text }).first().waitFor();
}

async function told(page: Page, text: string | RegExp): Promise<void> {
  await page.getByRole('listitem').filter({ hasText: text }).first().waitFor();
}

describe('a booking', () => {
  test('shows facts, price and a timeline that follows what happens', async () => {
    const booked = await agent.book();
    await using visit = await dashboard.open(at(booked));
    const { page, complaints } = visit;
    await told(page, 'The voucher was mailed to the guest.');
    await told(page, 'Webhook booking_confirmed: accepted');
    expect(await page.getByText(/The webhook booking_confirmed to .* was accepted/).isVisible()).toBe(false);
    await dashboard.api('POST', `/api/b2a${at(booked)}/modify`, { num_adults: 3 }, agent.headers);
    await told(page, /adults from 2 to 3\. The price rose by/);
    await page.getByText('3 adults').waitFor();
    const total = page.getByRole('table', { name: /^Price lines/ }).locator('tbody tr');
    expect(await total.last().innerText()).toMatch(/^Total\s+THB\s[\d,.]+$/);
    const voucher = page.getByRole('link', { name: booked.voucher?.code ?? '' });
    expect((await voucher.boundingBox())?.height).toBeLessThan(30);
    await visit.expectAccessible();
    await visit.photograph('booking');
    await page.getByText('Webhook booking_confirmed: accepted').click();
    await page
      .getByRole('link', { name: /^Delivery / })
      .first()
      .click();
    await visit.heading('Delivery').waitFor();
    expect(complaints).toEqual([]);
  });

  test('names the operator who changed it, for those who may read the names', async () => {
    const made = { name: 'Siri of Bangkok', role: 'support' };
    const { id, token } = await dashboard.api<{ id: string; token: string }>('POST', '/api/operators', made);
    const booked = await agent.book();
    await dashboard.api('POST', `/api${at(booked)}/modify`, { num_adults: 1 }, { authorization: `Bearer ${token}` });
    const namedIn = async (by: string, name: string): Promise<void> => {
      await using visit = await dashboard.open(at(booked), by);
      const { page } = visit;
      await page.getByRole('listitem').filter({ hasText: 'adults from 2 to 1' }).filter({ hasText: name }).waitFor();
      await page.getByText('Changed by').locator('..').filter({ hasText: name }).waitFor();
    };
    await namedIn(dashboard.service.adminToken, 'Siri of Bangkok');
    await namedIn(token, 'Siri of Bangkok');
    await namedIn(viewer, `operator ${id}`);
  });

  test('names its key to an admin, with a link to the page of the key; a viewer sees the id', async () => {
    const booked = await agent.book();
    const keyIn = (page: Page) =>
      page.locator('dl.facts > div', { has: page.getByText('Key', { exact: true }) }).locator('dd');
    {
      await using visit = await dashboard.open(at(booked));
      const { page } = visit;
      const name = keyIn(page).getByRole('link', { name: 'An agent' });
      await name.waitFor();
      expect((await keyIn(page).innerText()).split(/\s+/)).toEqual(['An', 'agent', agent.keyId]);
      await visit.expectAccessible();
      await visit.photograph('booking-key');
      // The page of the key reads the key; on the way back the name is known.
      let reads = 0;
      page.on('request', (request) => {
        if (new URL(request.url()).pathname.startsWith('/api/keys')) reads += 1;
      });
      await name.focus();
      await page.keyboard.press('Enter');
      await visit.heading('An agent').waitFor();
      await page.goBack();
      await name.waitFor();
      expect(reads).toBe(1);
    }
    await using visit = await dashboard.open(at(booked), viewer);
    await keyIn(visit.page).waitFor();
    expect(await keyIn(visit.page).innerText()).toBe(agent.keyId);
    expect(await keyIn(visit.page).getByRole('link').count()).toBe(0);
  });

  test('has one line for the webhooks of an event that fail, and it says when the next attempt is', async () => {
    receiver.answer(() => new Response('no', { status: 401 }));
    const booked = await agent.book();
    await using visit = await dashboard.open(at(booked));
    const line = visit.page.getByText(/^Webhook booking_confirmed: \d failed attempts?, next at \d+ \w+ \d\d:\d\d$/);
    await line.waitFor();
    receiver.answer(() => new Response('ok'));
    await line.click();
    await visit.page.getByText(/The webhook booking_confirmed to .* failed at .*: answered 401/).waitFor();
    await visit.photograph('booking-webhooks');
  });

  test('is changed after its price was shown', async () => {
    const booked = await agent.book();
    await using visit = await dashboard.open(at(booked));
    const { page } = visit;
    await page.getByRole('button', { name: 'Change the booking' }).click();
    await page.getByLabel('Adults').fill('3');
    await page.getByLabel('Name').fill('Augusta King');
    await page.getByRole('button', { name: 'Show the price' }).click();
    await page.getByText('Charged now').waitFor();
    const before = await dashboard.api<{ num_adults: number }>('GET', `/api${at(booked)}`);
    expect(before.num_adults).toBe(2);
    await visit.expectAccessible();
    await page.getByRole('button', { name: /^Change and charge/ }).click();
    await said(page, 'The booking is changed.');
    const after = await dashboard.api<object>('GET', `/api${at(booked)}`);
    expect(after).toMatchObject({ num_adults: 3, user_name: 'Augusta King', modified_by: 'admin' });
    // The agent reads that it was an operator, and not who.
    await told(page, /The webhook booking_modified to .* was accepted/);
    const sent = receiver.received.find(({ body }) => body.includes(booked.booking_id) && body.includes('modified_by'));
    expect(sent?.body).toContain('"modified_by":"operator"');
    expect(sent?.body).not.toContain('admin');
  });

  test('that has changed since it was read is not changed, and the page says so', async () => {
    const booked = await agent.book();
    await using visit = await dashboard.open(at(booked));
    const { page } = visit;
    await page.getByRole('button', { name: 'Cancel the booking' }).click();
    await page.getByRole('button', { name: 'Show the refund' }).click();
    await page.getByRole('button', { name: /^Cancel and refund/ }).waitFor();
    await dashboard.api('POST', `/api/b2a${at(booked)}/modify`, { num_adults: 1 }, agent.headers);
    // The page behind the dialog has loaded the later version; the quote is still that of the earlier one.
    await page.getByText('1 adult', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^Cancel and refund/ }).click();
    const refusal = page.getByRole('alert').filter({ hasText: 'The booking has changed since you read it' });
    await refusal.waitFor();
    expect(await dashboard.api<object>('GET', `/api${at(booked)}`)).toMatchObject({ status: 'confirmed' });
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('button', { name: 'Show the refund' }).click();
    await page.getByRole('button', { name: /^Cancel and refund/ }).click();
    await said(page, /The booking is cancelled/);
  });

  test('that has changed since its change was quoted keeps what somebody else has changed', async () => {
    const booked = await agent.book();
    await using visit = await dashboard.open(at(booked));
    const { page } = visit;
    await page.getByRole('button', { name: 'Change the booking' }).click();
    await page.getByLabel('Name').fill('Augusta King');
    await page.getByRole('button', { name: 'Show the price' }).click();
    await page.getByRole('button', { name: 'Change at no cost' }).waitFor();
    await dashboard.api('POST', `/api/b2a${at(booked)}/modify`, { num_adults: 3 }, agent.headers);
    await page.getByText('3 adults', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Change at no cost' }).click();
    await page.getByRole('alert').filter({ hasText: 'The booking has changed since you read it' }).waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('button', { name: 'Show the price' }).click();
    await page.getByRole('button', { name: 'Change at no cost' }).click();
    await said(page, 'The booking is changed.');
    const after = await dashboard.api<object>('GET', `/api${at(booked)}`);
    expect(after).toMatchObject({ num_adults: 3, user_name: 'Augusta King' });
  });

  test('is cancelled after its refund was shown, with the keyboard alone', async () => {
    const booked = await agent.book();
    await using visit = await dashboard.open(at(booked));
    const { page } = visit;
    await page.getByRole('button', { name: 'Cancel the booking' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Reason').focus();
    await page.keyboard.press('W');
    await page.getByRole('button', { name: 'Show the refund' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Cancel and refund/ }).focus();
    await visit.photograph('booking-cancel');
    await page.keyboard.press('Enter');
    await said(page, /The booking is cancelled\. THB\s[\d,.]+ refunded\./);
    await page.getByText(/^THB\s[\d,.]+ refunded\.$/).waitFor();
    await page.getByText('Weather', { exact: true }).waitFor();
    const after = await dashboard.api<object>('GET', `/api${at(booked)}`);
    expect(after).toMatchObject({ status: 'cancelled', cancellation: { reason: 'weather' }, cancelled_by: 'admin' });
    await page.getByRole('button', { name: 'Cancel the booking' }).waitFor({ state: 'detached' });
  });

  test('is cancelled without a refund, and the page does not say that something was refunded', async () => {
    const booked = await agent.book({}, COOKING_CLASS);
    await using visit = await dashboard.open(at(booked));
    const { page } = visit;
    // A booking that the venue has not confirmed was not charged.
    await page.getByRole('button', { name: 'Cancel the booking' }).click();
    await page.getByRole('button', { name: 'Show the refund' }).click();
    await page.getByRole('button', { name: 'Cancel without a refund' }).click();
    await said(page, 'The booking is cancelled. Nothing is refunded.');
    await page.getByText('The guests asked', { exact: true }).waitFor();
  });

  test('that waits for its venue is confirmed, and another one is rejected', async () => {
    const confirmed = await agent.book({}, COOKING_CLASS);
    await using visit = await dashboard.open(at(confirmed));
    const { page } = visit;
    await page.getByRole('button', { name: 'Confirm', exact: true }).click();
    await page.getByRole('button', { name: /^Confirm and charge/ }).click();
    await said(page, 'The booking is confirmed');
    const rejected = await agent.book({}, COOKING_CLASS);
    await visit.go(at(rejected));
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
    await said(page, 'The booking is rejected');
    const statusOf = async (of: Booked) => (await dashboard.api<{ status: string }>('GET', `/api${at(of)}`)).status;
    expect([await statusOf(confirmed), await statusOf(rejected)]).toEqual(['confirmed', 'rejected']);
  });

  test('has its voucher sent again, and the page says when the limit is reached', async () => {
    const booked = await agent.book({ user_email: 'again@example.com' });
    await using visit = await dashboard.open(at(booked));
    const { page } = visit;
    await told(page, 'The voucher was mailed to the guest.');
    const send = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Send the voucher again' }).click();
      await page.getByRole('button', { name: 'Send', exact: true }).click();
    };
    await send();
    await said(page, 'The voucher was mailed.');
    await told(page, 'The voucher is to be mailed again.');
    for (let mails = 2; mails < 5; mails++) await dashboard.api('POST', `/api${at(booked)}/voucher-mail`, {});
    await send();
    await said(page, 'the limit of mails is reached');
  });

  test('has its guest erased, with the report and the export of the data', async () => {
    const booked = await agent.book({ user_name: 'Zora Quill' });
    await using visit = await dashboard.open(at(booked));
    const { page } = visit;
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export the guest’s data' }).click();
    const exported = await (await downloading).path();
    expect(await Bun.file(exported).text()).toContain('Zora Quill');
    await page.getByRole('button', { name: 'Erase the guest' }).click();
    await visit.expectAccessible();
    await page.getByRole('button', { name: 'Erase for ever' }).click();
    await said(page, 'The guest’s data is erased.');
    await page.getByText('[erased]').first().waitFor();
    await page.getByRole('link', { name: 'Erasure report' }).click();
    await visit.heading(/^Erasure of the guest/).waitFor();
    await page.getByText('Kept', { exact: true }).first().waitFor();
    await visit.expectAccessible();
    await visit.photograph('booking-erasure');
  });

  test('shows a viewer no guest and no action', async () => {
    const booked = await agent.book({ user_name: 'Zora Quill' });
    await using visit = await dashboard.open(at(booked), viewer);
    const { page } = visit;
    await told(page, 'The booking is confirmed');
    await page.getByText('[hidden]').first().waitFor();
    expect(await page.getByRole('main').innerText()).not.toContain('Zora');
    for (const name of ['Cancel the booking', 'Change the booking', 'Send the voucher again', 'Erase the guest'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    await visit.go('/bookings');
    await page.getByRole('table').waitFor();
    expect(await page.getByLabel('Booking, voucher or guest').count()).toBe(0);
  });

  test('that does not exist says so', async () => {
    await using visit = await dashboard.open('/bookings/bk_00000000000000000000');
    await visit.page.getByRole('alert').filter({ hasText: 'does not exist' }).first().waitFor();
  });
});
