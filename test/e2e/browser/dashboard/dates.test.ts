import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DIES_AFTER } from '../../../chaos/dates/mortal.ts';
import { startService } from '../../../support/process.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { openBrowser } from '../chromium.ts';
import { Dashboard, type Visit } from './dashboard.ts';

const ACTIVITY = 'bkk-jim-thompson-house-tour';
const BOOKINGS = 6;
/** Far enough ahead that no test needs to know the time. */
const [DATE, STORMY, OTHER] = [5, 6, 7].map((days) =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10),
) as [string, string, string];
const SUBMIT = 'Cancel all bookings of this date';
/** Each of the checks of a page takes a busy machine half a minute. */
const PATIENCE_MS = 480_000;

const directory = temporaryDirectory();
const room = { DATA_DIR: directory.file('data'), LOG_LEVEL: 'warn', REAPER_INTERVAL_MS: '100' };
/** Its service dies in the middle of the second date. */
let dashboard: Dashboard;
beforeAll(async () => {
  const dies = `DateBookingSettled ${1.5 * BOOKINGS}`;
  const mortal = { BUN_OPTIONS: '--preload=./test/chaos/dates/preload.ts', [DIES_AFTER]: dies };
  const [service, browser] = await Promise.all([startService({ ...room, PORT: '0', ...mortal }), openBrowser()]);
  dashboard = new Dashboard(service, browser, directory);
}, PATIENCE_MS);
afterAll(() => dashboard[Symbol.asyncDispose]());

const pageOf = (date: string): string => `/dates/${ACTIVITY}/${date}/cancel`;

async function book(at: Dashboard, date: string): Promise<void> {
  const { url, apiKey } = at.service;
  for (let guest = 0; guest < BOOKINGS; guest++) {
    const response = await fetch(`${url}/api/b2a/execute_booking`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({
        activity_id: ACTIVITY,
        booking_date: date,
        num_adults: 2,
        user_name: `Guest ${guest}`,
        user_email: `guest-${guest}@example.com`,
      }),
    });
    if (!response.ok) throw new Error(await response.text());
  }
}

/** The value that the page shows under a name. */
const shown = ({ page }: Visit, name: string) =>
  page.locator('dl.facts > div', { has: page.getByText(name, { exact: true }) }).locator('dd');

const TITLE = "Jim Thompson House: guided tour of the silk trader's home";
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' })
  .format(new Date(DATE))
  .replace(',', '');

/** How long a notice may stay after it was clicked away. */
const SHORTLY_MS = 3_000;

const confirmation = ({ page }: Visit, date = DATE) => page.getByLabel(`Type ${date} to confirm`);

describe('an operator cancels a date', () => {
  test(
    'after the page said what will happen and the date was typed; by keyboard alone; then the page is accessible',
    async () => {
      await book(dashboard, DATE);
      await using visit = await dashboard.open('/dates');
      const { page, complaints } = visit;
      await page.getByLabel('Activity').fill(ACTIVITY);
      await page.getByLabel('Date', { exact: true }).fill(DATE);
      await visit.expectAccessible();
      await page.keyboard.press('Enter');
      await visit.heading(`Cancel ${TITLE} on ${DAY}`).waitFor();
      expect(await page.locator('main').innerText()).toContain(ACTIVITY);
      await page.getByLabel('Reason').waitFor();
      await shown(visit, 'Bookings to cancel').getByText(String(BOOKINGS), { exact: true }).waitFor();
      expect(await shown(visit, 'Their guests').innerText()).toBe(String(2 * BOOKINGS));
      await visit.expectAccessible();
      await visit.photograph('cancel-date.before');

      // Each quote is recorded: another one is asked for by the operator only.
      let quotes = 0;
      page.on('request', (request) => {
        if (request.method() === 'POST') quotes += 1;
      });
      await book(dashboard, OTHER);
      await page.getByRole('button', { name: 'Show the latest' }).waitFor();
      expect(quotes).toBe(0);
      // On a busy machine, the last of these bookings may be projected after the first click.
      const notice = page.getByText('Bookings or places have changed since.');
      let clicks = 0;
      do {
        await page.getByRole('button', { name: 'Show the latest' }).click();
        clicks += 1;
        await notice.waitFor({ state: 'detached', timeout: SHORTLY_MS }).catch(() => undefined);
      } while (await notice.isVisible());
      expect(quotes).toBe(clicks);

      await confirmation(visit).fill('2020-01-01');
      await page.getByRole('button', { name: SUBMIT }).click();
      expect(await page.getByRole('alert').innerText()).toContain(`Type ${DATE} to confirm`);

      const due = await shown(visit, 'To be refunded').innerText();
      expect(due).toMatch(/^THB\s[1-9]/);
      const allotment = `/api/activities/${ACTIVITY}/allotments/${DATE}`;
      const answered = page.waitForResponse(
        (response) => response.url().endsWith(`${DATE}/cancel`) && response.request().method() === 'POST',
      );
      await confirmation(visit).fill(DATE);
      await page.keyboard.press('Enter');
      // The date is closed as soon as the page says that the cancellation has begun.
      expect((await answered).ok()).toBe(true);
      expect(await dashboard.api<object>('GET', allotment)).toMatchObject({ capacity: 0 });
      await page.getByText(`Finished: ${BOOKINGS} cancelled, 0 left.`).waitFor();
      await page.getByText('Each guest gets a mail with the refund').waitFor();
      expect(await page.getByRole('progressbar').getAttribute('value')).toBe(String(BOOKINGS));
      expect(await shown(visit, 'Refunded').innerText()).toBe(due);
      await visit.expectAccessible();
      await visit.photograph('cancel-date.after');

      // The same in a second tab, and after the page is loaded again.
      await page.reload();
      await page.getByText(`Finished: ${BOOKINGS} cancelled, 0 left.`).waitFor();

      await page.goto(`${dashboard.service.url}/dashboard/calendar?city=Bangkok&from=${DATE}&having=cancelled`);
      const cell = page.getByRole('button', { name: 'Cancelled' });
      await cell.waitFor();
      await visit.photograph('calendar.cancelled');
      await cell.click();
      await page.getByText('The whole date was cancelled because of the weather.').waitFor();
      await page.getByRole('link', { name: 'Its cancellation' }).click();
      await page.getByText(`Finished: ${BOOKINGS} cancelled, 0 left.`).waitFor();
      expect(complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  test('finds the activity by words, in any city, and leads to its bookings and calendar', async () => {
    await using visit = await dashboard.open('/dates');
    const { page, complaints } = visit;
    await page.getByLabel('Activity').fill('zeppelin');
    await page.getByLabel('Date', { exact: true }).fill(DATE);
    await page.keyboard.press('Enter');
    await page.getByText('No activity on sale in any city matches "zeppelin".').waitFor();
    await page.getByLabel('Activity').fill('Thompson HOUSE');
    await page.keyboard.press('Enter');
    const row = page.getByRole('row', { name: new RegExp(`${TITLE}.*Bangkok.*${ACTIVITY}`) });
    await row.waitFor();
    await visit.expectAccessible();
    await visit.photograph('cancel-date.matches');
    await row.getByRole('link').click();
    await visit.heading(`Cancel ${TITLE} on ${DAY}`).waitFor();
    expect(await page.getByRole('link', { name: 'Calendar of Bangkok' }).getAttribute('href')).toContain(
      `from=${DATE}`,
    );
    await page.getByRole('link', { name: 'Bookings of this date' }).click();
    await visit.heading('Bookings').waitFor();
    expect(new URL(page.url()).search).toBe(`?activity_id=${ACTIVITY}&from=${DATE}&to=${DATE}`);
    expect(complaints).toEqual([]);
  });

  test('a viewer sees what would happen to no date, and has no button', async () => {
    const viewer = await dashboard.api<{ token: string }>('POST', '/api/operators', { name: 'Vi', role: 'viewer' });
    await using visit = await dashboard.open(pageOf(DATE), viewer.token);
    await visit.page.getByText(`Finished: ${BOOKINGS} cancelled, 0 left.`).waitFor();
    expect(await visit.page.getByRole('button', { name: SUBMIT }).count()).toBe(0);
  });
});

test(
  'the page goes on by itself after the service was killed in the middle and started again',
  async () => {
    const { service: first } = dashboard;
    await book(dashboard, STORMY);
    await using visit = await dashboard.open(pageOf(STORMY));
    await confirmation(visit, STORMY).fill(STORMY);
    await visit.page.getByRole('button', { name: SUBMIT }).click();
    await first.program.ended();
    await visit.page.getByRole('alert').getByText('cannot be reached').first().waitFor();
    await visit.photograph('cancel-date.outage');
    await using second = await startService({ ...room, PORT: new URL(first.url).port });
    await visit.page.getByText(`Finished: ${BOOKINGS} cancelled, 0 left.`).waitFor();
    expect(await visit.page.getByRole('alert').count()).toBe(0);
    const path = `/api/activities/${ACTIVITY}/allotments/${STORMY}/cancel`;
    const headers = { authorization: `Bearer ${second.adminToken}` };
    const progress = (await (await fetch(`${second.url}${path}`, { headers })).json()) as { data: object };
    expect(progress.data).toMatchObject({ status: 'finished', cancelled: BOOKINGS, pending: 0, gone: 0 });
  },
  PATIENCE_MS,
);
