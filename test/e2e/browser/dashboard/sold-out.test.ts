import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { addDays, localDate } from '../../../../src/domain/activity/schedule.ts';
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

async function capacityOn(date: string): Promise<number> {
  const path = `/api/activities/river-walk/allotments/${date}`;
  return (await dashboard.api<{ readonly capacity: number }>('GET', path)).capacity;
}

async function book(date: string, adults: number): Promise<void> {
  const agent = { authorization: '', 'x-api-key': dashboard.service.apiKey };
  const guest = { user_email: 'ada@example.com', user_name: 'Ada Lovelace' };
  const wish = { activity_id: 'river-walk', booking_date: date, num_adults: adults, ...guest };
  await dashboard.api('POST', '/api/b2a/execute_booking', wish, agent);
}

/** The button of a date in the calendar. */
function dateButton(page: Page, date: string, state: RegExp) {
  const day = String(Number(date.slice(8)));
  return page.getByRole('button', { name: new RegExp(`^River Walk.*[ ,]${day} .*: ${state.source}`) });
}

const NOWHERE = { x: 0, y: 0, width: 0, height: 0 };

describe('a sold-out date', () => {
  test('gets ten more places by a tap and its confirmation, and its row stays, although it left the filter', async () => {
    const date = ahead(3);
    await book(date, 10);
    await using visit = await dashboard.open('/calendar?city=Bangkok&having=sold_out');
    const { page } = visit;
    await dateButton(page, date, /Sold out/).click();
    await page.getByRole('button', { name: '10 more places' }).click();
    await page.getByText('1 date would change.').waitFor();
    expect(await page.getByRole('cell', { name: '10 → 20' }).count()).toBe(1);
    expect(await capacityOn(date)).toBe(10);
    await visit.expectAccessible();
    await page.getByRole('button', { name: 'Change 1 date' }).click();
    await page.getByText(/^1 date changed\. River Walk .*: capacity 10 → 20\./).waitFor();
    expect(await capacityOn(date)).toBe(20);
    await page.getByText('It no longer matches the filter “Sold out”; its row stays').waitFor();
    await dateButton(page, date, /10 free/).waitFor();
    // The row follows what happens to it, as the others do.
    await book(date, 2);
    await dateButton(page, date, /8 free/).waitFor();
    await visit.expectAccessible();
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('No activity matches.').waitFor();
    await page.getByText('1 date changed.').waitFor({ state: 'detached' });
  });

  test('says on a phone, in its card, that it was changed', async () => {
    const date = ahead(13);
    await book(date, 10);
    await using visit = await dashboard.open(`/calendar?city=Bangkok&from=${date}&having=sold_out`);
    const { page, complaints } = visit;
    await page.setViewportSize({ width: 360, height: 780 });
    const card = page.getByRole('listitem').filter({ hasText: 'River Walk' });
    await card.getByText('Sold out').waitFor();
    await card.getByRole('button', { name: 'Open the date' }).click();
    await pressTabUntil(page, /^10 more places$/);
    await page.keyboard.press('Enter');
    await page.getByText('1 date would change.').waitFor();
    // Without scrolling.
    const confirm = (await page.getByRole('button', { name: 'Change 1 date' }).boundingBox()) ?? NOWHERE;
    expect(confirm.y).toBeGreaterThan(0);
    expect(confirm.y + confirm.height).toBeLessThan(780);
    await visit.photograph('date.more-places');
    await page.setViewportSize({ width: 360, height: 780 });
    await pressTabUntil(page, /^Change 1 date$/);
    await page.keyboard.press('Enter');
    await card.getByText('10 free').waitFor();
    await card.getByText(/capacity 10 → 20\. It no longer matches the filter “Sold out”/).waitFor();
    await visit.photograph('calendar.kept');
    await page.setViewportSize({ width: 360, height: 780 });
    await page.getByRole('button', { name: 'Later →' }).click();
    await card.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });
});
