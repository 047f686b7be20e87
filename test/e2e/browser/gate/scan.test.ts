import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Gated, GateTest, START_MS, TODAY } from './gate.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

let gate: GateTest;
let north: Gated;
beforeAll(async () => {
  gate = await GateTest.open();
  north = await gate.device();
}, START_MS);
afterAll(() => gate[Symbol.asyncDispose]());

describe('a device', () => {
  test('given its link, then the phone is signed in, and the key leaves the address', async () => {
    await using phone = await gate.signedIn(north);
    expect(phone.page.url()).toBe(`${gate.service.url}/gate`);
    expect(await phone.page.locator('header').innerText()).toContain('North');
    await phone.page.reload();
    await phone.page.locator('nav').waitFor();
    expect(phone.complaints).toEqual([]);
  });

  test('given it is signed out, then it stays signed out, and the link of another device signs that one in', async () => {
    await using phone = await gate.signedIn(north);
    await phone.tap('Settings');
    await phone.tap('Sign out');
    await phone.page.getByLabel('Device key or link').waitFor();
    await phone.page.reload();
    await phone.page.getByLabel('Device key or link').waitFor();
    const { device_key: key } = await gate.device(gate.venueId, 'South');
    await phone.page.evaluate(`location.hash = '${key}'`);
    await phone.page.getByText('South').waitFor();
    expect(phone.page.url()).toBe(`${gate.service.url}/gate`);
    await phone.page.evaluate(`location.hash = '${north.device_key}'`);
    await phone.page.getByText('signed in as another device').waitFor();
  });

  test('given its key as text, then the phone is signed in; given a wrong key, then it says so', async () => {
    await using phone = await gate.phone();
    await phone.page.goto(`${gate.service.url}/gate`);
    await phone.page.getByLabel('Device key or link').fill('0123456789abcdef0123456789abcdef');
    await phone.tap('Sign in');
    await phone.page.getByText('This device key is not valid').waitFor();
    await phone.page.getByLabel('Device key or link').fill(`${gate.service.url}/gate#${north.device_key}`);
    await phone.tap('Sign in');
    await phone.page.locator('nav').waitFor();
  });

  test('given the QR code of its link before the camera, then the phone is signed in', async () => {
    gate.show(`${gate.service.url}/gate#${north.device_key}`);
    await using phone = await gate.phone();
    await phone.page.goto(`${gate.service.url}/gate`);
    await phone.tap('Scan the QR code');
    await phone.page.locator('nav').waitFor();
    gate.show(null);
  });
});

describe('a phone whose camera may not be used', () => {
  test('given it, then the page says what to do, and a typed code is checked', async () => {
    const booked = await gate.book();
    gate.moveClock(MINUTE_MS);
    await using phone = await gate.phone();
    await phone.page.addInitScript(`navigator.mediaDevices.getUserMedia = async () => {
      throw new DOMException('', 'NotAllowedError');
    }`);
    await phone.page.goto(`${gate.service.url}/gate#${north.device_key}`);
    await phone.page.getByText('This page may not use the camera.').waitFor();
    expect(await (await phone.type(booked.voucher.code)).innerText()).toContain('Valid');
  });
});

describe('a voucher before the camera', () => {
  test('given a valid one, then the answer is green with the guest, and one tap admits', async () => {
    const booked = await gate.book();
    gate.moveClock(MINUTE_MS);
    gate.show(await gate.qrText(booked));
    await using phone = await gate.signedIn(north);
    await phone.verdict.waitFor();
    const text = await phone.verdict.innerText();
    for (const part of ['Valid', 'Ada Lovelace', '2 guests', 'A table without stairs', 'Hours'])
      expect(text).toContain(part);
    expect(await gate.present(north, booked.booking_id)).toBe(0);
    await phone.tap('Admit 2 guests');
    await phone.page.getByRole('heading', { name: 'Admitted' }).waitFor();
    expect(await gate.present(north, booked.booking_id)).toBe(2);
    gate.show(null);
    expect(phone.complaints).toEqual([]);
  });
});

describe('a code that is typed', () => {
  test('given the short code of a party of three, when two came, then two are present, and the third is recorded later', async () => {
    const booked = await gate.book({ num_adults: 3, user_name: 'Nguyễn Đức' });
    gate.moveClock(MINUTE_MS);
    await using phone = await gate.signedIn(north);
    await phone.type(booked.voucher.short_code.toLowerCase());
    await phone.tap('One guest fewer');
    await phone.tap('Admit 2 guests');
    await phone.page.getByRole('heading', { name: 'Admitted' }).waitFor();
    expect(await phone.verdict.innerText()).toContain('2 of 3');
    expect(await gate.present(north, booked.booking_id)).toBe(2);
    await phone.tap('Next guest');
    await phone.tap('Guests');
    await phone.page.getByLabel('Search by name').fill('nguyen duc');
    await phone.tap('More guests arrived');
    await phone.tap('Record');
    await phone.page.getByText('3 of 3').waitFor();
    await phone.tap('Uploads');
    await phone.page.getByText('Everything is uploaded.').waitFor();
    expect(await gate.present(north, booked.booking_id)).toBe(3);
    expect(phone.complaints).toEqual([]);
  });

  test('given no voucher, then the answer is red', async () => {
    await using phone = await gate.signedIn(north);
    const verdict = await phone.type('WM-0000-0000');
    expect(await verdict.innerText()).toContain('There is no valid voucher with this code.');
    expect(await verdict.innerText()).toContain('Do not admit');
    expect(await phone.page.getByRole('button', { name: /Admit/ }).count()).toBe(0);
  });
});

describe('a service that does not answer', () => {
  test('given three seconds have passed, then the phone decides from its list', async () => {
    const booked = await gate.book();
    const text = await gate.qrText(booked);
    gate.moveClock(MINUTE_MS);
    await using phone = await gate.signedIn(north);
    await phone.refresh();
    await phone.context.route('**/api/venue/verify', () => undefined);
    expect(await (await phone.type(text)).innerText()).toContain('Valid');
    await phone.page.getByText(/^No network/).waitFor();
  });
});

describe('a phone whose clock was set since its last list', () => {
  test.each([5 * MINUTE_MS, -2_000])(
    'given it is %p ms ahead, then the visit has the time of the service',
    async (ms) => {
      gate.moveClock(MINUTE_MS);
      const booked = await gate.book();
      await using phone = await gate.signedIn(north);
      await phone.page.clock.setFixedTime(gate.nowMs + ms);
      await phone.type(booked.voucher.short_code);
      await phone.tap('Admit 2 guests');
      await phone.page.getByRole('heading', { name: 'Admitted' }).waitFor();
      const at = await gate.visitAt(north, booked.booking_id);
      expect(at).toBe(new Date(gate.nowMs).toISOString());
    },
  );
});

describe('a venue that admits at once', () => {
  test('given a valid voucher, then the scan is the visit, without a tap', async () => {
    const path = `/api/activities/${gate.otherActivity}`;
    const entry = await gate.api<{ readonly venue: { readonly id: string } }>('GET', path);
    const { venue } = entry;
    await gate.api('PUT', path, { ...entry, venue: { ...venue, admit_at_once: true } });
    const side = await gate.device(venue.id);
    const booked = await gate.book({ activity_id: gate.otherActivity });
    gate.moveClock(MINUTE_MS);
    gate.show(await gate.qrText(booked));
    await using phone = await gate.signedIn(side);
    await phone.page.getByRole('heading', { name: 'Admitted' }).waitFor();
    expect(await gate.present(side, booked.booking_id)).toBe(2);
    gate.show(null);
  });
});

describe('two tabs of one phone', () => {
  test('given an admission that waits, when both have a network again, then it is uploaded once', async () => {
    const booked = await gate.book();
    const text = await gate.qrText(booked);
    gate.moveClock(MINUTE_MS);
    await using phone = await gate.signedIn(north);
    await phone.refresh();
    const other = await phone.context.newPage();
    await other.clock.setFixedTime(gate.nowMs);
    await other.goto(`${gate.service.url}/gate`);
    await other.locator('nav').waitFor();
    await phone.setOffline(true);
    await phone.type(text);
    await phone.tap('Admit 2 guests');
    await phone.page.getByText('Stored on this phone.').waitFor();
    const sent: string[] = [];
    phone.context.on('request', (request) => {
      if (request.url().endsWith('/api/venue/verify')) sent.push(request.url());
    });
    await phone.setOffline(false);
    gate.moveClock(MINUTE_MS);
    for (const page of [other, phone.page]) await page.evaluate('dispatchEvent(new Event("online"))');
    await phone.tap('Next guest');
    await phone.tap(/^Uploads/);
    await phone.page.getByText('Everything is uploaded.').waitFor();
    expect(await gate.present(north, booked.booking_id)).toBe(2);
    expect(sent).toHaveLength(1);
  });
});

describe('a voucher that does not admit', () => {
  test('given a cancelled one, then the answer is red and says when, at the venue', async () => {
    const booked = await gate.book();
    const text = await gate.qrText(booked);
    await gate.asAgent('POST', `/api/b2a/bookings/${booked.booking_id}/cancel`, { reason: 'user_requested' });
    gate.moveClock(MINUTE_MS);
    await using phone = await gate.signedIn(north);
    expect(await (await phone.type(text)).innerText()).toMatch(/Cancelled: 12:\d\d/);
  });

  test('given one of another venue, then the answer is red and names it', async () => {
    const booked = await gate.book({ activity_id: gate.otherActivity });
    await using phone = await gate.signedIn(north);
    expect(await (await phone.type(await gate.qrText(booked))).innerText()).toContain('for another venue: ');
  });

  test('given one that was scanned, then the answer is red with time and gate; once its visit is void, it admits again', async () => {
    const booked = await gate.book();
    const text = await gate.qrText(booked);
    gate.moveClock(MINUTE_MS);
    await using phone = await gate.signedIn(north);
    await phone.type(text);
    await phone.tap('Admit 2 guests');
    await phone.tap('Next guest');
    const refused = await (await phone.type(text)).innerText();
    expect(refused).toMatch(/Already used: 12:\d\d, at North/);
    expect(refused).toContain('Ada Lovelace');
    await phone.tap('Next guest');
    gate.moveClock(MINUTE_MS);
    await gate.api('POST', '/api/visits/void', { booking_id: booked.booking_id, reason: 'A mistake.' });
    gate.moveClock(MINUTE_MS);
    await phone.follow();
    await phone.type(text);
    await phone.tap('Admit 2 guests');
    await phone.page.getByRole('heading', { name: 'Admitted' }).waitFor();
  });

  test('given one of a changed booking, then the answer has the guests of the change', async () => {
    const booked = await gate.book();
    const text = await gate.qrText(booked);
    await gate.asAgent('POST', `/api/b2a/bookings/${booked.booking_id}/modify`, { num_adults: 3 });
    gate.moveClock(MINUTE_MS);
    await using phone = await gate.signedIn(north);
    expect(await (await phone.type(text)).innerText()).toContain('3 guests');
  });

  test('given one of tomorrow, then it is too early; given one of yesterday, then it is expired', async () => {
    const early = await gate.book({ booking_date: '2026-11-28' });
    const past = await gate.book();
    const [earlyText, pastText] = [await gate.qrText(early), await gate.qrText(past)];
    await using phone = await gate.signedIn(north);
    expect(await (await phone.type(earlyText)).innerText()).toMatch(/Too early. Valid from (?:28 November 2026, )?\d/);
    await phone.tap('Next guest');
    gate.moveClock(2 * DAY_MS);
    await phone.follow();
    expect(await (await phone.type(pastText)).innerText()).toMatch(/Expired. It was valid until \d+ November 2026/);
    expect(TODAY).toBe('2026-11-27');
    gate.moveClock(-2 * DAY_MS);
  });
});
