import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { type Gated, GateTest, type Phone, START_MS } from './gate.ts';

const MINUTE_MS = 60_000;

let gate: GateTest;
let north: Gated;
let side: Gated;
beforeAll(async () => {
  gate = await GateTest.open();
  north = await gate.device();
  side = await gate.device(gate.venueId, 'Side');
}, START_MS);
afterAll(() => gate[Symbol.asyncDispose]());

/** A phone that has the list of now, and then no network. */
async function withoutNetwork(device: Gated = north): Promise<Phone> {
  gate.moveClock(MINUTE_MS);
  const phone = await gate.signedIn(device);
  await phone.refresh();
  await phone.setOffline(true);
  return phone;
}

async function admit(phone: Phone, text: string): Promise<void> {
  await phone.type(text);
  await phone.tap(/^Admit 2 guests/);
  await phone.page.getByText('Stored on this phone.').waitFor();
  await phone.tap('Next guest');
}

/** All bytes that the page keeps, as text of one character per byte. */
function bytesAtRest(page: Page): Promise<string> {
  return page.evaluate<string>(`(async () => {
    const settled = (request) => new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    const database = await settled(indexedDB.open('waymark-gate'));
    const records = database.transaction('records').objectStore('records');
    const [names, values] = [await settled(records.getAllKeys()), await settled(records.getAll())];
    const text = values.map(({ data }) => String.fromCharCode(...new Uint8Array(data)));
    const keys = await settled(database.transaction('keys').objectStore('keys').getAll());
    database.close();
    const extractable = keys.map((key) => String(key.extractable));
    return [...names, ...text, ...extractable, JSON.stringify(localStorage), document.cookie].join('\\n');
  })()`);
}

describe('without a network', () => {
  test('given a voucher on the list, then it is green and admits once; with the network, it is uploaded', async () => {
    const booked = await gate.book();
    const text = await gate.qrText(booked);
    await using phone = await withoutNetwork();
    const verdict = await phone.type(text);
    expect(await verdict.innerText()).toContain('Ada Lovelace');
    expect(await verdict.innerText()).toContain('Valid');
    await phone.tap('Admit 2 guests');
    await phone.page.getByText('Stored on this phone.').waitFor();
    await phone.tap('Next guest');
    expect(await (await phone.type(text)).innerText()).toMatch(/Already used: 12:\d\d/);
    await phone.tap('Next guest');
    expect(await gate.present(side, booked.booking_id)).toBe(0);

    await phone.setOffline(false);
    gate.moveClock(MINUTE_MS);
    await phone.follow();
    await phone.refresh();
    await phone.tap('Uploads');
    await phone.page.getByText('Everything is uploaded.').waitFor();
    expect(await gate.present(side, booked.booking_id)).toBe(2);
    expect(phone.complaints).toEqual([]);
  });

  test('given a voucher that another device scanned meanwhile, then the upload shows the conflict until it is read', async () => {
    const booked = await gate.book({ user_name: 'Grace Hopper' });
    const text = await gate.qrText(booked);
    await using phone = await withoutNetwork();
    await admit(phone, text);
    await gate.api('POST', '/api/venue/verify', { code: text, gate: 'Side' }, { 'x-device-key': side.device_key });
    await phone.setOffline(false);
    gate.moveClock(MINUTE_MS);
    await phone.follow();
    await phone.refresh();
    await phone.tap('Conflicts: 1');
    await phone.page.getByRole('heading', { name: 'Conflicts' }).waitFor();
    await phone.photograph('gate-en-6-conflict');
    const shown = await phone.page.locator('.conflicts').innerText();
    for (const part of ['Grace Hopper', '2 let in at 12:', 'Already used: 12:', 'at Side'])
      expect(shown).toContain(part);
    await phone.page.reload();
    await phone.tap(/^Uploads/);
    await phone.tap('Settings');
    await phone.tap('Sign out');
    await phone.page.getByText('1 uploads or unread conflicts will be lost.').waitFor();
    await phone.tap('Stay signed in');
    await phone.tap(/^Uploads/);
    await phone.tap('Understood');
    await phone.page.getByRole('heading', { name: 'Conflicts' }).waitFor({ state: 'detached' });
  });

  test('given an admission that waits, when the service answers again, then the same voucher is red, not green', async () => {
    const booking = await gate.book();
    gate.moveClock(MINUTE_MS);
    await using phone = await gate.signedIn(north);
    await phone.refresh();
    // Only what records something gets no answer.
    await phone.page.route('**/api/venue/verify', (route) =>
      (route.request().postDataJSON() as { dry_run?: boolean }).dry_run === true ? route.continue() : route.abort(),
    );
    const text = await gate.qrText(booking);
    await admit(phone, text);
    expect(await (await phone.type(text)).innerText()).toContain('Do not admit');
    expect(phone.complaints).toEqual([]);
  });

  test('given an upload that the service always answers with a fault, then those behind it are uploaded, and it stays with its next try', async () => {
    const [first, second] = [await gate.book({ user_name: 'Dorothy Vaughan' }), await gate.book()];
    const [faulty, good] = [await gate.qrText(first), await gate.qrText(second)];
    await using phone = await withoutNetwork();
    for (const text of [faulty, good]) await admit(phone, text);
    await phone.setOffline(false);
    const keys: (string | undefined)[] = [];
    let isFaulty = true;
    await phone.page.route('**/api/venue/verify', (route) => {
      const { code } = route.request().postDataJSON() as { code: string };
      if (!faulty.endsWith(code)) return route.continue();
      keys.push(route.request().headers()['idempotency-key']);
      const body = JSON.stringify({ success: false, code: 'INTERNAL_ERROR', error: '' });
      return isFaulty ? route.fulfill({ status: 500, contentType: 'application/json', body }) : route.continue();
    });
    await phone.refresh();
    await phone.tap(/^Uploads/);
    const fault = phone.page.getByText('The service has a fault: 500 INTERNAL_ERROR.');
    await fault.waitFor();
    expect(await phone.page.locator('.waiting').innerText()).toMatch(/Dorothy Vaughan[^]*Next try: 12:\d\d/);
    await phone.photograph('gate-en-8-fault');
    await phone.page.locator('.waiting li').nth(1).waitFor({ state: 'detached' });
    expect([await gate.present(side, first.booking_id), await gate.present(side, second.booking_id)]).toEqual([0, 2]);
    // The phone keeps it, and tries it again once its time has come.
    await phone.page.reload();
    await phone.tap(/^Uploads/);
    await fault.waitFor();
    const tried = keys.length;
    isFaulty = false;
    gate.moveClock(10 * MINUTE_MS);
    await phone.follow();
    await phone.page.evaluate('dispatchEvent(new Event("online"))');
    await phone.page.getByText('Everything is uploaded.').waitFor();
    expect(await gate.present(side, first.booking_id)).toBe(2);
    expect(keys).toHaveLength(tried + 1);
    expect(new Set(keys).size).toBe(1);
    expect(phone.complaints).toEqual([]);
  });

  test('given a cancelled voucher and one of another venue, then both are red', async () => {
    const [cancelled, other] = [await gate.book(), await gate.book({ activity_id: gate.otherActivity })];
    const [text, otherText] = [await gate.qrText(cancelled), await gate.qrText(other)];
    await gate.asAgent('POST', `/api/b2a/bookings/${cancelled.booking_id}/cancel`, { reason: 'user_requested' });
    await using phone = await withoutNetwork();
    expect(await (await phone.type(text)).innerText()).toContain('The booking was cancelled.');
    await phone.tap('Next guest');
    expect(await (await phone.type(otherText)).innerText()).toContain('The voucher is for another venue.');
    await phone.tap('Next guest');
    const forged = text.replace(/.$/, (end) => (end === '0' ? '8' : '0'));
    expect(await (await phone.type(forged)).innerText()).toContain('forged or damaged');
  });

  test('given a list of 16 minutes ago or a typed code, then the answer is amber and needs two taps', async () => {
    const booked = await gate.book();
    const text = await gate.qrText(booked);
    await using phone = await withoutNetwork();
    await phone.type(booked.voucher.short_code);
    expect(await phone.verdict.innerText()).toContain('A typed code cannot be checked without a network.');
    await phone.tap('Close');
    await phone.page.clock.setFixedTime(gate.nowMs + 16 * MINUTE_MS);
    expect(await (await phone.type(text)).innerText()).toMatch(/The list of 12:\d\d is too old to be sure/);
    // A double tap is the first tap only.
    await phone.page.getByRole('button', { name: 'Admit 2 guests' }).dblclick();
    expect(await phone.verdict.innerText()).toContain('too old to be sure');
    await phone.tap('Yes, admit 2 unchecked');
    await phone.page.getByText('Stored on this phone.').waitFor();
  });

  test('given the page is opened again, then it works with what the phone keeps', async () => {
    const booked = await gate.book();
    const text = await gate.qrText(booked);
    await using phone = await withoutNetwork();
    await phone.setOffline(false);
    await phone.page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
    await phone.page.reload();
    await phone.refresh();
    await phone.setOffline(true);
    await phone.page.reload();
    await phone.page.getByText(/^No network. List of 12:/).waitFor();
    expect(await (await phone.type(text)).innerText()).toContain('Valid');
  });
});

describe('what the phone keeps', () => {
  test('given a list and a waiting admission, then neither names, codes nor the key can be read', async () => {
    const booked = await gate.book({ user_name: 'Katherine Johnson' });
    const text = await gate.qrText(booked);
    await using phone = await withoutNetwork();
    await admit(phone, text);
    const bytes = await bytesAtRest(phone.page);
    expect(bytes).toContain('queue:');
    expect(bytes).toContain('false');
    for (const secret of ['Katherine', north.device_key, booked.voucher.code, booked.booking_id])
      expect(bytes).not.toContain(secret);
  });

  test('given the day is over at the venue, then its list is deleted, and what waits for its upload stays', async () => {
    const booked = await gate.book({ user_name: 'Mary Jackson' });
    const text = await gate.qrText(booked);
    await using phone = await withoutNetwork();
    await admit(phone, text);
    await phone.tap('Guests');
    await phone.page.getByText('Mary Jackson').waitFor();
    gate.moveClock(24 * 60 * MINUTE_MS);
    await phone.follow();
    await phone.page.evaluate('dispatchEvent(new Event("online"))');
    await phone.page.getByText('Nobody is booked today.').waitFor();
    await phone.tap(/^Uploads/);
    await phone.page.getByText('Mary Jackson').waitFor();
    expect(await bytesAtRest(phone.page)).toContain('queue:');
    await phone.setOffline(false);
    await phone.page.evaluate('dispatchEvent(new Event("online"))');
    await phone.page.getByText('Everything is uploaded.').waitFor();
    await phone.page.getByText('Mary Jackson').waitFor({ state: 'detached' });
    gate.moveClock(-24 * 60 * MINUTE_MS);
  });

  test('given the operator removes the device, then it is gone, and the phone is signed out', async () => {
    const lost = await gate.device(gate.venueId, 'Lost');
    await using phone = await withoutNetwork(lost);
    await phone.setOffline(false);
    expect(await bytesAtRest(phone.page)).toContain('device');
    await gate.api('DELETE', `/api/venues/${gate.venueId}/devices/${lost.device_id}`);
    await phone.enter('WM-0000-0000');
    await phone.page.getByText('The operator removed this device.').waitFor();
    const bytes = await bytesAtRest(phone.page);
    for (const name of ['device', 'known', 'queue:']) expect(bytes).not.toContain(name);
  });

  test('given the operator pauses the device, then the phone says so and keeps what it has', async () => {
    const paused = await gate.device(gate.venueId, 'Paused');
    const booked = await gate.book();
    const text = await gate.qrText(booked);
    await using phone = await withoutNetwork(paused);
    await admit(phone, text);
    await gate.api('POST', `/api/venues/${gate.venueId}/devices/${paused.device_id}/pause`, { reason: 'A check.' });
    await phone.setOffline(false);
    await phone.page.evaluate('dispatchEvent(new Event("online"))');
    await phone.page.getByText('The operator paused this device.').waitFor();
    expect(await bytesAtRest(phone.page)).toContain('queue:');
    await gate.api('POST', `/api/venues/${gate.venueId}/devices/${paused.device_id}/resume`, {});
    await phone.refresh();
    await phone.tap('Uploads');
    await phone.page.getByText('Everything is uploaded.').waitFor();
    expect(await gate.present(side, booked.booking_id)).toBe(2);
  });
});
