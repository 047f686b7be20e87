import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Agent, AQUARIUM, type Booked, COOKING_CLASS } from './agent.ts';
import { type Dashboard, endSession, openDashboard, START_MS } from './dashboard.ts';

type Shown = { readonly activity: { readonly title: string } };
type Bookings = { readonly items: readonly { readonly activity: { readonly venue_id: string } }[] };

let dashboard: Dashboard;
let agent: Agent;
beforeAll(async () => {
  dashboard = await openDashboard();
  agent = await Agent.of(dashboard);
}, START_MS);
afterAll(() => dashboard[Symbol.asyncDispose]());

describe('the search', () => {
  test('finds bookings by id, voucher, guest and filters, which are in the address', async () => {
    const [ada, grace] = [
      await agent.book(),
      await agent.book({ user_name: 'Grace Hopper', user_email: 'grace@example.com' }),
    ];
    await using visit = await dashboard.open('/bookings');
    const { page, complaints } = visit;
    const link = ({ booking_id: id }: Booked) => page.getByRole('link', { name: id });
    await link(ada).waitFor();
    for (const text of [ada.booking_id, ada.voucher?.code ?? '']) {
      await page.getByLabel('Booking, voucher or guest').fill(text);
      await page.getByRole('button', { name: 'Search' }).click();
      await link(grace).waitFor({ state: 'detached' });
      await link(ada).waitFor();
      expect(new URL(page.url()).searchParams.get('find')).toBe(text);
    }
    await page.getByLabel('Booking, voucher or guest').fill('hopp');
    await page.getByRole('button', { name: 'Search' }).click();
    await link(grace).waitFor();
    expect(await link(ada).count()).toBe(0);
    await page.reload();
    await link(grace).waitFor();
    expect(await page.getByLabel('Booking, voucher or guest').inputValue()).toBe('hopp');
    await page.getByLabel('Status').selectOption('cancelled');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('No booking matches.').waitFor();
    await page.getByRole('link', { name: 'Clear the search' }).click();
    await link(ada).waitFor();
    await visit.expectAccessible();
    await visit.photograph('bookings');
    expect(complaints).toEqual([]);
  });

  test('says that the list has changed, and shows the latest', async () => {
    await agent.book();
    await using visit = await dashboard.open('/bookings');
    await visit.page.getByRole('table').waitFor();
    const { booking_id: id } = await agent.book();
    await visit.page.getByRole('button', { name: 'Show the latest' }).click();
    await visit.page.getByRole('link', { name: id }).waitFor();
  });

  test('keeps what it has found while the session is over', async () => {
    const { booking_id: id } = await agent.book({ user_name: 'Hedy Lamarr', user_email: 'hedy@example.com' });
    await using visit = await dashboard.open('/bookings?find=lamarr');
    const { page } = visit;
    const rows = page.locator('tbody tr');
    await rows.filter({ hasText: id }).waitFor();
    await agent.book();
    await page.getByRole('button', { name: 'Show the latest' }).waitFor();
    expect(await endSession(page)).toBe(200);
    await page.getByRole('button', { name: 'Show the latest' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await rows.count()).toBe(1);
    const asked = page.waitForRequest(/\/api\/bookings\?/);
    await page.getByLabel('API key or operator token').fill(dashboard.service.adminToken);
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(new URL((await asked).url()).search).toBe('?guest=lamarr');
    await rows.filter({ hasText: id }).waitFor();
  });

  test('shows the refusal of a filter', async () => {
    await using visit = await dashboard.open('/bookings?city=Atlantis');
    await visit.page.getByRole('alert').filter({ hasText: 'city' }).waitFor();
  });

  test('narrows the list by date, activity and venue, and each narrowed list has what matches', async () => {
    const [first, second] = await agent.openDays(AQUARIUM);
    const early = await agent.book({ booking_date: first });
    const late = await agent.book({ booking_date: second });
    const cooking = await agent.book({}, COOKING_CLASS);
    await using visit = await dashboard.open('/bookings');
    const { page } = visit;
    const link = ({ booking_id: id }: Booked) => page.getByRole('link', { name: id });
    const search = async (fields: Readonly<Record<string, string>>, found: Booked, others: readonly Booked[]) => {
      await page.getByRole('link', { name: 'Clear the search' }).click();
      await link(cooking).waitFor();
      await page.getByText('More filters').click();
      for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value);
      await page.getByRole('button', { name: 'Search' }).click();
      for (const other of others) await link(other).waitFor({ state: 'detached' });
      await link(found).waitFor();
    };
    await search({ 'Date from': first ?? '', 'Date to': first ?? '', 'Activity id': AQUARIUM }, early, [late, cooking]);
    await search({ 'Date from': second ?? '', 'Activity id': AQUARIUM }, late, [early, cooking]);
    await search({ 'Activity id': COOKING_CLASS }, cooking, [early, late]);
    const { items } = await dashboard.api<Bookings>('GET', `/api/bookings?booking_id=${early.booking_id}`);
    await search({ 'Venue id': items[0]?.activity.venue_id ?? '' }, early, [cooking]);
    await link(late).waitFor();
  });

  test('shows titles in English, whatever the guests read, and times in one line with all of it in their title', async () => {
    const booked = await agent.book({ user_name: 'Murasaki Shikibu' }, AQUARIUM, { 'accept-language': 'ja' });
    const own = await dashboard.api<Shown>('GET', `/api/b2a/bookings/${booked.booking_id}`, undefined, agent.headers);
    const { activity } = await dashboard.api<Shown>('GET', `/api/bookings/${booked.booking_id}`);
    expect(own.activity.title).not.toBe(activity.title);
    await using visit = await dashboard.open('/bookings?find=murasaki&city=Bangkok');
    const row = visit.page.getByRole('row', { name: /^Murasaki Shikibu bk_/ });
    expect(await row.innerText()).toContain(activity.title);
    const time = row.locator('time');
    expect(await time.innerText()).toMatch(/^\d+ \w+ \d\d:\d\d$/);
    expect(await time.getAttribute('title')).toMatch(/ 20\d\d, \d\d:\d\d:\d\d .* UTC\)$/);
    const { height } = (await time.boundingBox()) ?? { height: Infinity };
    expect(height).toBeLessThan(30);
    expect(await visit.page.getByLabel('City').inputValue()).toBe('Bangkok');
    expect(await visit.page.getByLabel('Key id').isVisible()).toBe(false);
    await visit.go('/bookings?find=murasaki&mode=live');
    await visit.page.getByLabel('Key id').waitFor();
  });

  test('loads what follows a page with little, and says when there is nothing more', async () => {
    const { booking_id: id } = await agent.book({ user_name: 'Sparse Page' });
    await using visit = await dashboard.open('/reports/revenue');
    const { page } = visit;
    const asked: string[] = [];
    // A filtered page may be empty and go on; the small log of the test has none: the real answers are altered.
    await page.route('**/api/bookings?*', async (route) => {
      const cursor = new URL(route.request().url()).searchParams.get('cursor');
      asked.push(cursor ?? 'first');
      const url = new URL(route.request().url());
      url.searchParams.delete('cursor');
      const response = await route.fetch({ url: url.href });
      const answer = (await response.json()) as { data: { items: readonly object[]; next_cursor: string | null } };
      const next = cursor === null ? '1' : String(Number(cursor) + 1);
      answer.data = {
        items: cursor === '1' ? answer.data.items : [],
        next_cursor: next === '4' ? null : next,
      };
      await route.fulfill({ response, json: answer });
    });
    await visit.go('/bookings?find=sparse');
    await page.getByRole('link', { name: id }).waitFor();
    expect(asked).toEqual(['first', '1', '2']);
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('No more bookings.').waitFor();
    expect(asked).toEqual(['first', '1', '2', '3']);
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
  });

  test('shows a long list page by page', async () => {
    const name = 'Page Turner';
    for (let count = 0; count < 21; count++) await agent.book({ user_name: name, num_adults: 1 });
    await using visit = await dashboard.open('/bookings?find=turner');
    const { page } = visit;
    await page.getByText('20 shown').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
    const rows = await page.locator('tbody tr a').allInnerTexts();
    expect([rows.length, new Set(rows).size]).toEqual([21, 21]);
  });
});
