import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import { type Dashboard, START_MS } from './dashboard.ts';
import { aSeason, openAtNoon, type Season } from './season.ts';

let opened: Awaited<ReturnType<typeof openAtNoon>>;
let dashboard: Dashboard;
let season: Season;
beforeAll(async () => {
  opened = await openAtNoon();
  ({ dashboard } = opened);
  season = await aSeason(dashboard);
}, 2 * START_MS);
afterAll(() => opened[Symbol.asyncDispose]());

/** What a gate device gets for a code that no voucher has. */
async function codeOf(deviceKey: string): Promise<string> {
  const response = await fetch(`${dashboard.service.url}/api/venue/verify`, {
    method: 'POST',
    headers: { 'x-device-key': deviceKey, 'content-type': 'application/json' },
    body: JSON.stringify({ code: 'WM-0000-0000' }),
  });
  return ((await response.json()) as { readonly code: string }).code;
}

describe('the devices of a venue', () => {
  test('are created with a key as text and QR code, paused with a reason, resumed and removed', async () => {
    await using visit = await dashboard.open('/devices/venue');
    const { page, complaints } = visit;
    const dialog = page.getByRole('dialog');
    await page.getByLabel('Venue (id)').fill(season.device.venueId);
    await page.getByRole('button', { name: 'Show' }).click();
    await visit.heading(`Devices of ${season.device.venueId}`).waitFor();

    await page.getByRole('button', { name: 'Create device' }).click();
    await dialog.getByLabel('Name').fill('Gate B1');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByText(`Gate B1 is a device of ${season.device.venueId}.`).waitFor();
    const link = await page.locator('.secret').innerText();
    expect(link).toStartWith(`${dashboard.service.url}/gate#`);
    const key = link.slice(link.indexOf('#') + 1);
    expect(await codeOf(key)).toBe('VOUCHER_NOT_FOUND');
    const { data, width, height } = PNG.sync.read(
      await page.getByRole('img', { name: 'The link of Gate B1 as a QR code' }).screenshot(),
    );
    expect(jsQR(new Uint8ClampedArray(data), width, height)?.data).toBe(link);
    await visit.expectAccessible();
    await visit.photograph('devices-created');
    await page.getByRole('button', { name: 'The device has it' }).click();
    expect(await page.locator('.secret').count()).toBe(0);

    const row = page.getByRole('row', { name: /Gate B1/ });
    await row.getByRole('button', { name: 'Pause' }).click();
    await dialog.getByLabel('Reason').fill('Scans before the opening.');
    await dialog.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Gate B1 is paused.').waitFor();
    await row.getByText('Scans before the opening.').waitFor();
    expect(await codeOf(key)).toBe('KEY_INACTIVE');
    await row.getByRole('button', { name: 'Resume' }).click();
    await dialog.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Gate B1 verifies vouchers again.').waitFor();
    expect(await codeOf(key)).toBe('VOUCHER_NOT_FOUND');
    await row.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByRole('button', { name: 'Remove for good' }).click();
    await page.getByText('Gate B1 is removed.').waitFor();
    await row.waitFor({ state: 'detached' });
    expect(await codeOf(key)).toBe('INVALID_DEVICE_KEY');
    expect(complaints).toEqual([]);
  });

  test('have their visits voided from a time on, or all of them, but never all by default', async () => {
    await using visit = await dashboard.open(`/devices/venue?venue_id=${season.device.venueId}`);
    const { page } = visit;
    const dialog = page.getByRole('dialog');
    const sent: unknown[] = [];
    await page.route('**/api/visits/void', (route) => {
      sent.push(route.request().postDataJSON());
      return route.fulfill({ json: { success: true, data: { voided: 7, complete: true } } });
    });
    const row = page.getByRole('row', { name: new RegExp(season.device.id) });
    await row.getByRole('button', { name: 'Void visits' }).click();
    await dialog.getByLabel('Reason').fill('Stolen.');
    await dialog.getByRole('button', { name: 'Void the visits of this time' }).click();
    expect(await dialog.getByLabel('Scans since (UTC)').evaluate('document.activeElement.name')).toBe('from');
    expect(sent).toEqual([]);
    await dialog.getByLabel('All scans of this device').check();
    await dialog.getByRole('button', { name: `Void all visits of ${season.device.name}` }).click();
    await page.getByText(`7 visits of ${season.device.name} are voided.`).waitFor();
    expect(sent).toEqual([{ device_id: season.device.id, reason: 'Stolen.' }]);
  });

  test('of a venue that the catalogue does not have are refused with what to do', async () => {
    await using visit = await dashboard.open('/devices/venue?venue_id=nowhere');
    await visit.page.getByRole('alert').waitFor();
    expect(await visit.page.getByRole('alert').innerText()).toContain('The catalogue has no venue "nowhere"');
  });
});

describe('the days of devices', () => {
  test('show what each device recorded; its visits are voided, and the list of voided visits has them', async () => {
    await using visit = await dashboard.open('/devices/days?days=all');
    const { page } = visit;
    const dialog = page.getByRole('dialog');
    const row = page.getByRole('row', { name: new RegExp(season.device.id) });
    await row.waitFor();
    expect(await row.locator('th, td').nth(4).innerText()).toBe('3');
    await visit.expectAccessible();
    await visit.photograph('devices-days');

    // The day in Bangkok, in UTC.
    const [from, to] = ['2026-11-26T17:00', '2026-11-27T17:00'];
    const submit = dialog.getByRole('button', { name: /^Void (?:all|the|\d)/ });
    await row.getByRole('button', { name: 'Void visits' }).click();
    expect(await dialog.getByLabel('Scans since (UTC)').inputValue()).toBe(from);
    expect(await dialog.getByLabel('Scans before (UTC)').inputValue()).toBe(to);
    expect(await submit.innerText()).toBe('Void 3 visits of 2026-11-27');
    await visit.expectAccessible();
    await submit.click();
    expect(await dialog.isVisible()).toBe(true);
    await dialog.getByLabel('All scans of this device').check();
    await dialog.getByRole('button', { name: `Void all visits of ${season.device.name}` }).waitFor();
    await page.keyboard.press('Escape');
    await row.getByRole('button', { name: 'Void visits' }).click();
    await dialog.getByRole('button', { name: 'Void 3 visits of 2026-11-27' }).waitFor();
    await dialog.getByLabel('Scans before (UTC)').fill('2026-11-27T00:00');
    expect(await submit.innerText()).toBe('Void the visits of this time');
    await dialog.getByLabel('Reason').fill('The device was stolen.');
    await submit.click();
    await page.getByText(`0 visits of ${season.device.name} are voided.`).waitFor();
    await row.getByRole('button', { name: 'Void visits' }).click();
    await dialog.getByLabel('Reason').fill('The device was stolen.');
    const sent = page.waitForRequest('**/api/visits/void');
    await submit.click();
    const { from: since, to: before } = (await sent).postDataJSON() as { readonly from: string; readonly to: string };
    expect([since, before]).toEqual([`${from}:00Z`, `${to}:00Z`]);
    await page.getByText(`3 visits of ${season.device.name} are voided.`).waitFor();

    await page.getByRole('link', { name: 'Unusual days' }).first().click();
    const unusual = page.getByRole('row', { name: new RegExp(season.device.id) });
    await unusual.getByText('voided', { exact: true }).waitFor();
    await visit.photograph('devices-unusual');

    await visit.go(`/devices/voided?device_id=${season.device.id}`);
    await page.getByRole('table').waitFor();
    expect(await page.getByRole('table').locator('tbody tr').count()).toBe(3);
    expect(await page.getByText('The device was stolen.').count()).toBe(3);
    await visit.expectAccessible();
    await visit.photograph('devices-voided');
  });

  test('are read by a viewer, who may not act', async () => {
    const { token } = await dashboard.api<{ token: string }>('POST', '/api/operators', { name: 'V', role: 'viewer' });
    await using visit = await dashboard.open('/devices/days?days=all', token);
    await visit.page.getByRole('row', { name: new RegExp(season.device.id) }).waitFor();
    for (const name of ['Pause', 'Void visits', 'Remove'])
      expect(await visit.page.getByRole('button', { name }).count()).toBe(0);
  });
});
