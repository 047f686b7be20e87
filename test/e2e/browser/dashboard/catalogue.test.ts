import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { addDays, localDate, parseLocalDate } from '../../../../src/domain/activity/schedule.ts';
import { writeServiceCatalogue } from '../../../support/service-catalogue.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { type Dashboard, openDashboard, pressTabUntil, START_MS } from './dashboard.ts';

const catalogue = temporaryDirectory();
let dashboard: Dashboard;
beforeAll(async () => {
  writeServiceCatalogue(catalogue.file('files'));
  dashboard = await openDashboard({ CATALOGUE_DIR: catalogue.file('files') });
}, START_MS);
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
  catalogue.remove();
});

/** The date in Bangkok so many days ahead. */
function ahead(days: number): string {
  return addDays(localDate('Bangkok', Date.now()), days);
}

type Allotment = { readonly capacity: number; readonly price: number; readonly flash_deal: object | null };

function allotment(date: string, activity = 'river-walk'): Promise<Allotment> {
  return dashboard.api('GET', `/api/activities/${activity}/allotments/${date}`);
}

function asAgent<T>(path: string, body: object): Promise<T> {
  return dashboard.api('POST', path, body, { authorization: '', 'x-api-key': dashboard.service.apiKey });
}

/** @returns the id of the booking */
async function book(date: string, adults: number): Promise<string> {
  const wish = { activity_id: 'river-walk', user_email: 'ada@example.com', user_name: 'Ada Lovelace' };
  const booking = { ...wish, booking_date: date, num_adults: adults };
  return (await asAgent<{ readonly booking_id: string }>('/api/b2a/execute_booking', booking)).booking_id;
}

/** The button of a date in the calendar. */
function dateButton(page: Page, activity: string, date: string, state: RegExp) {
  const day = String(Number(date.slice(8)));
  return page.getByRole('button', { name: new RegExp(`^${activity}.*[ ,]${day} .*: ${state.source}`) });
}

const WEEK = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const NOWHERE = { x: 0, y: 0, width: 0, height: 0 };

describe('the calendar', () => {
  test('keeps what was entered on the way back from the preview, and adds places to what was typed', async () => {
    const from = ahead(50);
    await using visit = await dashboard.open(`/calendar?city=Bangkok&from=${from}`);
    const { page, complaints } = visit;
    await dateButton(page, 'Night Market', from, /30 free/).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Show what changes' }).click();
    expect(await dialog.getByRole('alert').innerText()).toBe('Enter a capacity, a price or a deal.');
    const capacity = dialog.getByLabel('Capacity', { exact: true });
    await capacity.fill('41');
    await dialog.getByRole('button', { name: '10 more places' }).click();
    await dialog.getByRole('cell', { name: '30 → 51' }).waitFor();
    await dialog.getByRole('button', { name: 'Back to the form' }).click();
    expect(await capacity.inputValue()).toBe('51');
    await dialog.getByLabel('Price in THB').fill('310');
    await dialog.getByLabel('Last date').fill(ahead(60));
    expect(await dialog.locator('.weekdays label').allInnerTexts()).toEqual(WEEK);
    await dialog.getByRole('checkbox', { name: 'Sat' }).check();
    await visit.expectAccessible();
    await visit.photograph('date');
    await dialog.getByRole('button', { name: 'Show what changes' }).click();
    const [change, back] = ['Change', 'Back to the form'].map((name) => dialog.getByRole('button', { name }));
    const [left, right] = [await change?.boundingBox(), await back?.boundingBox()];
    expect([left?.y, left?.height]).toEqual([right?.y, right?.height]);
    await visit.expectAccessible();
    await visit.photograph('date.preview');
    await back?.click();
    expect(await capacity.inputValue()).toBe('51');
    expect(await dialog.getByLabel('Price in THB').inputValue()).toBe('310');
    expect(await dialog.getByLabel('Last date').inputValue()).toBe(ahead(60));
    expect(await dialog.getByRole('checkbox', { name: 'Sat' }).isChecked()).toBe(true);
    expect(complaints).toEqual([]);
  });

  test('changes capacity, price and deal of a range on some weekdays, and takes them back', async () => {
    const [from, to] = [ahead(20), ahead(33)];
    await using visit = await dashboard.open(`/calendar?city=Bangkok&from=${from}`);
    const { page } = visit;
    await dateButton(page, 'Night Market', from, /30 free/).click();
    await page.getByLabel('Capacity', { exact: true }).fill('40');
    await page.getByLabel('Price in THB').fill('300');
    await page.getByLabel('Flash deal, percent off').fill('40');
    await page.getByLabel('Last date').fill(to);
    await page.getByRole('checkbox', { name: 'Sat' }).check();
    await page.getByRole('checkbox', { name: 'Sun' }).check();
    await page.getByRole('button', { name: 'Show what changes' }).click();
    await page.getByRole('button', { name: 'Change 4 dates' }).click();
    await page.getByText('4 dates changed.').waitFor();
    const saturday = [0, 1, 2, 3, 4, 5, 6]
      .map((days) => ahead(20 + days))
      .find((date) => new Date(date).getUTCDay() === 6);
    expect(await allotment(saturday ?? '', 'night-market')).toMatchObject({
      capacity: 40,
      price: 300,
      flash_deal: { discount_percent: 40 },
    });
    await dateButton(page, 'Night Market', saturday ?? '', /40 free/).click();
    await page.getByText('Take back to the schedule').click();
    await page.getByLabel('Capacity: that of the schedule').check();
    await page.getByLabel('Price: that of the schedule').check();
    await page.getByLabel('Flash deal: none').check();
    await page.getByRole('button', { name: 'Show what changes' }).click();
    await page.getByRole('button', { name: 'Change 1 date' }).click();
    await page.getByText('1 date changed.').waitFor();
    expect(await allotment(saturday ?? '', 'night-market')).toMatchObject({
      capacity: 30,
      price: 350,
      flash_deal: null,
    });
  });

  test('leads to the bookings of one date only', async () => {
    const [date, other] = [ahead(8), ahead(9)];
    const [ofDate, ofOther] = [await book(date, 2), await book(other, 2)];
    await using visit = await dashboard.open(`/calendar?city=Bangkok&from=${date}`);
    const { page } = visit;
    await dateButton(page, 'River Walk', date, /8 free/).click();
    await page.getByRole('link', { name: 'Bookings of this date' }).click();
    await visit.heading('Bookings').waitFor();
    await page.getByRole('link', { name: ofDate }).waitFor();
    expect(await page.getByRole('link', { name: ofOther }).count()).toBe(0);
    expect(await page.getByLabel('Date from').inputValue()).toBe(date);
  });

  test('says on which date the capacity cannot go below what is sold, and changes the others', async () => {
    const [from, to] = [ahead(5), ahead(6)];
    await book(to, 6);
    await using visit = await dashboard.open(`/calendar?city=Bangkok&from=${from}`);
    const { page } = visit;
    await dateButton(page, 'River Walk', from, /10 free/).click();
    await page.getByLabel('Capacity', { exact: true }).fill('4');
    await page.getByLabel('Last date').fill(to);
    await page.getByRole('button', { name: 'Show what changes' }).click();
    await page.getByText('1 date would change. 1 date refused: see why below.').waitFor();
    expect(await page.getByRole('dialog').innerText()).toContain(`capacity must be at least 6, the slots of ${to}`);
    await page.getByRole('button', { name: 'Change 1 date' }).click();
    await page.getByText('1 date changed. 1 date refused').waitFor();
    expect([(await allotment(from)).capacity, (await allotment(to)).capacity]).toEqual([4, 10]);
  });

  test('keeps its filters and dates in the address, also for a reload and the way back', async () => {
    const from = parseLocalDate('2027-01-10') ?? ahead(0);
    await using visit = await dashboard.open(`/calendar?city=Bangkok&from=${from}`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Later →' }).click();
    await page.getByLabel('City').selectOption('Singapore');
    await visit.heading('Calendar of Singapore').waitFor();
    await page.getByLabel('Activity or venue').fill('tunnel');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForURL(/q=tunnel/);
    await page.reload();
    await page.getByRole('link', { name: /^Sea Tunnel/ }).waitFor();
    expect(await page.locator('.calendar tbody tr').count()).toBe(1);
    expect(new URL(page.url()).search).toBe('?city=Singapore&from=2027-01-24&q=tunnel');
    await page.goBack();
    await page.waitForURL((url) => !url.search.includes('q='));
  });

  test('shows one day at a time on a phone', async () => {
    await using visit = await dashboard.open('/calendar?city=Bangkok');
    const { page } = visit;
    await page.setViewportSize({ width: 360, height: 780 });
    await page.getByRole('button', { name: /^Open the date of River Walk/ }).waitFor();
    await page.getByRole('button', { name: 'Later →' }).click();
    await page.waitForURL(new RegExp(`from=${ahead(1)}`));
    await page.getByRole('button', { name: /^Open the date of River Walk/ }).click();
    await page.getByRole('button', { name: 'Show what changes' }).waitFor();
  });

  test('shows what is sold and held, the price and the deal of a date, and finds each by a filter', async () => {
    const [date, full] = [ahead(30), ahead(31)];
    const terms = { from: date, to: date, price: 100, flash_deal: { discount_percent: 40 } };
    await dashboard.api('PUT', '/api/activities/river-walk/allotments', terms);
    await book(date, 2);
    await asAgent('/api/b2a/holds', { activity_id: 'river-walk', booking_date: date, num_adults: 1 });
    await book(full, 9);
    await using visit = await dashboard.open(`/calendar?city=Bangkok&from=${date}`);
    const { page } = visit;
    const button = dateButton(page, 'River Walk', date, /7 free/);
    await button.waitFor();
    expect((await button.innerText()).replaceAll(/\s+/g, ' ')).toContain(
      '7 free 2 of 10 sold +1 held THB 100 ✎ changed by an operator −40%',
    );
    const rows = page.locator('.calendar tbody tr');
    const all = await rows.count();
    expect(all).toBeGreaterThan(1);
    for (const having of ['With a flash deal', 'Changed by an operator', 'Nearly sold out']) {
      await page.getByLabel('Dates', { exact: true }).selectOption(having);
      await page.waitForURL(/having=/);
      await rows.nth(1).waitFor({ state: 'detached' });
      expect(await rows.innerText()).toContain('River Walk');
      await page.getByLabel('Dates', { exact: true }).selectOption('All dates');
      await rows.nth(all - 1).waitFor();
    }
    await page.getByLabel('Category').selectOption('nightlife');
    await rows.nth(1).waitFor({ state: 'detached' });
    expect(await rows.innerText()).toContain('Night Market');
    await page.getByRole('button', { name: 'Whole month' }).click();
    await page.waitForURL(/view=month/);
    const [year, month] = date.split('-').map(Number);
    const days = new Date(Date.UTC(year ?? 0, month ?? 0, 0)).getUTCDate();
    const heads = page.locator('.calendar thead th');
    await heads.nth(days).waitFor();
    expect(await heads.count()).toBe(1 + days);
  });

  test('keeps the names of activities above the dates, fills each cell with its button, and all of a wide screen', async () => {
    await using visit = await dashboard.open('/calendar?city=Bangkok&view=month');
    const { page } = visit;
    expect(await page.evaluate('getComputedStyle(document.querySelector("h1:focus")).outlineStyle')).toBe('none');
    expect(await page.getByRole('button', { name: 'Whole month' }).getAttribute('aria-pressed')).toBe('true');
    const name = page.locator('.calendar tbody th').first();
    await name.waitFor();
    await page.locator('.calendar > div').evaluate((element) => element.scrollBy({ left: 350, behavior: 'instant' }));
    const { x, y, width, height } = (await name.boundingBox()) ?? NOWHERE;
    const tagAt = (left: number, top: number): Promise<string> =>
      page.evaluate(`document.elementFromPoint(${left}, ${top}).closest('th, td').tagName`);
    for (const part of [0.05, 0.5, 0.95]) expect(await tagAt(x + part * width, y + 0.5 * height)).toBe('TH');
    await visit.photograph('calendar.scrolled');
    const cell = page.locator('.calendar tbody td').nth(10);
    const [whole, button] = [await cell.boundingBox(), await cell.getByRole('button').boundingBox()];
    expect((whole?.height ?? 0) - (button?.height ?? 0)).toBeLessThan(8);
    await page.setViewportSize({ width: 1920, height: 1080 });
    const calendar = await page.locator('.calendar').boundingBox();
    expect((calendar?.x ?? 0) + (calendar?.width ?? 0)).toBeGreaterThan(1_880);
  });

  test('changes the capacity of a date by keyboard alone', async () => {
    const date = ahead(40);
    await using visit = await dashboard.open(`/calendar?city=Bangkok&from=${date}`);
    const { page } = visit;
    const { keyboard } = page;
    await dateButton(page, 'Night Market', date, /30 free/).waitFor();
    const dialog = page.getByRole('dialog');
    await pressTabUntil(page, /^Night Market.*30 free/);
    await keyboard.press('Enter');
    await dialog.waitFor();
    await pressTabUntil(page, /^Capacity$/);
    await keyboard.type('33');
    await keyboard.press('Enter');
    await dialog.getByText('1 date would change.').waitFor();
    await pressTabUntil(page, /^Change 1 date$/);
    await keyboard.press('Enter');
    await page.getByText('1 date changed.').waitFor();
    expect((await allotment(date, 'night-market')).capacity).toBe(33);
  });

  test('works by keyboard alone, and is accessible', async () => {
    await using visit = await dashboard.open('/calendar?city=Bangkok');
    const { page, complaints } = visit;
    const button = dateButton(page, 'Night Market', ahead(1), /30 free/);
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator(':focus', { hasText: /^Night Market/ }).waitFor();
    await visit.expectAccessible();
    await visit.photograph('calendar');
    expect(complaints).toEqual([]);
  });

  test('shows an analyst the dates, without a form', async () => {
    const { token } = await dashboard.api<{ readonly token: string }>('POST', '/api/operators', {
      name: 'An analyst',
      role: 'analyst',
    });
    await using visit = await dashboard.open('/calendar?city=Bangkok', token);
    await dateButton(visit.page, 'Night Market', ahead(1), /30 free/).click();
    await visit.page.getByText('Capacity').waitFor();
    expect(await visit.page.getByRole('button', { name: 'Show what changes' }).count()).toBe(0);
  });
});
