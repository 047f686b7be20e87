import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page, Route } from 'playwright-core';
import { openEventStore } from '../../../../src/adapters/sqlite/event-store.ts';
import { bookingCodec } from '../../../../src/domain/booking/events.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { type Dashboard, openDashboard, START_MS } from './dashboard.ts';

/** An event as another program would append it: no reader can apply it. */
const FOREIGN = `BookingConfirmed.v${bookingCodec.versions['BookingConfirmed']}`;
const DATA = temporaryDirectory();

type Readers = {
  readonly items: readonly {
    readonly reader: string;
    readonly projection: string | null;
    lag_seconds: number | null;
  }[];
};
type Projections = { readonly items: readonly { readonly name: string; rebuild: object | null }[] };
type Leases = { readonly this_node: { node: string | null }; readonly items: object[] };

/** What the tests change of the answers to a request. */
type Data = {
  readonly '**/api/ops/readers': Readers;
  readonly '**/api/ops/projections': Projections;
  readonly '**/api/ops/leases': Leases;
};

/** Changes the data of the real answers to a request. */
async function alter<Path extends keyof Data>(
  page: Page,
  path: Path,
  change: (data: Data[Path]) => void,
): Promise<void> {
  await page.route(path, async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as { readonly data: Data[Path] };
    change(answer.data);
    await route.fulfill({ response, json: answer });
  });
}

let dashboard: Dashboard;
beforeAll(async () => {
  const store = openEventStore(DATA.file('events.db'));
  const cause = { correlationId: 'other', causationId: null, by: 'other', at: '2026-11-21T02:00:00.000Z' };
  await store.append('booking-0', -1, [{ id: crypto.randomUUID(), type: FOREIGN, data: {}, cause }]);
  await store.close();
  dashboard = await openDashboard({ DATA_DIR: DATA.path });
  await dashboard.api(
    'POST',
    '/api/operators',
    { name: 'Mai', role: 'viewer' },
    { 'x-request-id': 'made-by-the-test' },
  );
}, START_MS);
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
  DATA.remove();
});

test('readers are listed with their lag, and a projection is rebuilt', async () => {
  await using visit = await dashboard.open('/readers');
  const { page, complaints } = visit;
  const row = page.getByRole('row', { name: /^operators\.v/ });
  await row.getByText('up to date').waitFor();
  await page.getByText('All read models are current.').waitFor();
  await page
    .getByRole('table', { name: 'Process managers' })
    .getByRole('row', { name: /^claim-reaper/ })
    .waitFor();
  await visit.expectAccessible();
  await visit.photograph('readers');
  await row.getByRole('button', { name: 'Rebuild' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rebuild' }).click();
  await page.getByText('The rebuild of operators has begun.').waitFor();
  await row.getByText('rebuilt, 0 differences').waitFor();
  expect(complaints).toEqual([]);
});

test('an answer that takes long is shown, although it was asked for again meanwhile', async () => {
  await using visit = await dashboard.open('/nodes');
  const { page } = visit;
  const held: Route[] = [];
  let arrived = Promise.withResolvers<void>();
  await page.route('**/api/ops/readers', (route) => {
    held.push(route);
    arrived.resolve();
  });
  await visit.go('/readers');
  await arrived.promise;
  arrived = Promise.withResolvers<void>();
  await page.getByRole('button', { name: 'Look again' }).click();
  await held[0]?.continue();
  await page.getByRole('row', { name: /^operators\.v/ }).waitFor();
  await arrived.promise;
  expect(held).toHaveLength(2);
});

test('the lag of a reader and the progress of a rebuild are shown', async () => {
  await using visit = await dashboard.open('/nodes');
  const { page } = visit;
  // A rebuild of a small log ends within milliseconds, and nothing lags behind it: the real answers are altered.
  await alter(page, '**/api/ops/readers', ({ items }) => {
    for (const reader of items) {
      reader.lag_seconds = 0;
      if (reader.projection === 'keys') reader.lag_seconds = 61.25;
      if (reader.reader === 'webhook-deliverer') reader.lag_seconds = 242.3;
    }
  });
  await alter(page, '**/api/ops/projections', ({ items }) => {
    for (const projection of items)
      if (projection.name === 'keys') projection.rebuild = { events: 1_200, position: '30', head: '120' };
  });
  await visit.go('/readers');
  const row = page.getByRole('row', { name: /^keys\.v/ });
  await row.getByText('61.3 s').waitFor();
  await page.getByText('1 read model is behind.').waitFor();
  const waits = page.getByRole('row', { name: /^webhook-deliverer/ }).getByText('oldest open item 242 s');
  expect(await waits.getAttribute('class')).toBe('badge info');
  await row.getByText('running, 1,200 events').waitFor();
  const progress = row.getByRole('progressbar', { name: 'Rebuild of keys' });
  expect([await progress.getAttribute('value'), await progress.getAttribute('max')]).toEqual(['30', '120']);
  expect(await row.getByRole('button', { name: 'Rebuild' }).count()).toBe(0);
  await visit.expectAccessible();
});

test('the leases of several nodes are shown', async () => {
  await using visit = await dashboard.open('/events');
  const { page } = visit;
  // One node with embedded stores has no leases: the real answer is altered.
  await alter(page, '**/api/ops/leases', (answer) => {
    answer.this_node.node = 'api-1';
    answer.items.push(
      { name: 'projection-keys', node: 'projector-1', since: '2026-11-21T06:49:20Z', until: '2026-11-21T06:59:20Z' },
      { name: 'mailer', node: 'worker-2', since: null, until: '2026-11-21T06:59:20Z' },
    );
  });
  await visit.go('/nodes');
  const table = page.getByRole('table', { name: 'Leases, and the nodes that hold them' });
  expect(await table.getByRole('row', { name: /^projection-keys/ }).innerText()).toContain('projector-1');
  expect(await table.getByRole('row', { name: /^mailer/ }).innerText()).toMatch(/worker-2\s+not known/);
  await page.getByText('api-1', { exact: true }).waitFor();
  await visit.expectAccessible();
});

test('events are browsed by the category of their streams, oldest first', async () => {
  await using visit = await dashboard.open('/events');
  const { page } = visit;
  await page.getByLabel('Streams').selectOption('operator');
  await page.getByLabel('Order').selectOption('Oldest first');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.waitForURL(/category=operator.*direction=forwards/);
  const rows = page.getByRole('table', { name: 'Events of the log' }).locator('tbody tr');
  await rows.filter({ hasNotText: 'operator-' }).first().waitFor({ state: 'detached' });
  expect(await rows.first().innerText()).toContain('OperatorCreated');
});

test('the start page says what needs attention, and finds bookings', async () => {
  await using visit = await dashboard.open('');
  const { page } = visit;
  await visit.heading('Hello, admin').waitFor();
  await page.getByRole('link', { name: /^\d+ items? (is|are) parked$/ }).click();
  await visit.heading('Readers').waitFor();
  await visit.go('');
  await page.getByLabel('Booking, voucher or guest').fill('Ada');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.waitForURL(/\/bookings\?find=Ada$/);
  await visit.heading('Bookings').waitFor();
});

test('what a reader left out is tried again and then skipped, with a reason', async () => {
  await using visit = await dashboard.open('/readers');
  const { page, complaints } = visit;
  const parked = page.getByRole('table', { name: 'What readers left out' });
  const row = parked.getByRole('row', { name: /^claim-reaper/ });
  await row.getByText('BookingConfirmed').waitFor();
  await visit.expectAccessible();
  await visit.photograph('parked');
  const decide = async (decision: 'Retry' | 'Skip', reason: string): Promise<void> => {
    await row.getByRole('button', { name: decision }).click();
    await page.getByLabel('Reason').fill(reason);
    await page.getByRole('dialog').getByRole('button', { name: decision }).click();
  };
  await decide('Retry', 'The release of today may read it.');
  await page.getByText(/^claim-reaper tries .* again\.$/).waitFor();
  // It fails again.
  await row.getByText('parked', { exact: true }).waitFor();
  await decide('Skip', 'Another program wrote it.');
  await page.getByText(/^claim-reaper goes on without /).waitFor();
  await row.getByText('skipped').waitFor();
  expect(await row.getByRole('button', { name: 'Skip' }).count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('events are searched, shown, and followed to their stream and to their request', async () => {
  await using visit = await dashboard.open('/events');
  const { page, complaints } = visit;
  await page.getByLabel('Type of event').fill('OperatorCreated');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('button', { name: /^OperatorCreated/ }).click();
  expect(await page.getByRole('dialog').innerText()).toContain('[hidden]');
  await visit.photograph('event');
  await page.getByRole('button', { name: 'Close' }).click();
  await visit.expectAccessible();
  await page.getByRole('link', { name: 'made-by-the-test' }).click();
  await page.getByRole('button', { name: /^ActRequested/ }).waitFor();
  await visit.photograph('events');
  await page.getByRole('link', { name: /^operator-/ }).click();
  await visit.heading(/^operator-/).waitFor();
  await page.getByRole('row', { name: /^OperatorCreated/ }).waitFor();
  expect(complaints).toEqual([]);
});

test('the nodes, the audit with its filters, and the explanation of a recommendation are shown', async () => {
  await using visit = await dashboard.open('/nodes');
  const { page, complaints } = visit;
  await page.getByText('One node does everything').waitFor();
  await visit.expectAccessible();
  await visit.go('/audit?operation=create_operator');
  await page.getByRole('row', { name: /^create_operator/ }).waitFor();
  await visit.expectAccessible();
  await visit.photograph('audit');
  await page.getByLabel('Object').fill('op_nobody');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByText('There is no such entry.').waitFor();
  const { apiKey } = dashboard.service;
  const { context } = await dashboard.api<{ readonly context: { readonly log_id: string } }>(
    'POST',
    '/api/b2a/recommend',
    { user_profile: { travel_type: 'couple', interests: ['cultural'] }, location: { city: 'Bangkok' } },
    { 'x-api-key': apiKey },
  );
  await visit.go('/recommendation');
  await page.getByLabel('log_id').fill(context.log_id);
  await page.getByRole('button', { name: 'Explain' }).click();
  await page.getByRole('row', { name: /^1\. / }).waitFor();
  await visit.expectAccessible();
  await visit.photograph('recommendation');
  expect(complaints).toEqual([]);
});
