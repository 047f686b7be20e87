import { setDefaultTimeout } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import jsQR from 'jsqr';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { type Service, startService } from '../../../support/process.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { openBrowser } from '../chromium.ts';
import { cameraArguments, showToCamera } from './fake-camera.ts';

export const START_MS = 240_000;
/** A browser on a busy machine takes its time. */
setDefaultTimeout(180_000);

/** Noon in Bangkok, when venues are open. */
export const NOON_MS = Date.parse('2026-11-27T05:00:00.000Z');
export const TODAY = '2026-11-27';
const PHONE = { width: 390, height: 844 };

export type Booked = {
  readonly booking_id: string;
  readonly voucher: { readonly code: string; readonly short_code: string; readonly qr_url: string };
};

export type Gated = { readonly device_id: string; readonly device_key: string };

/** A service whose time the test moves, one of its venues with an activity, and a browser with a camera. */
export class GateTest implements AsyncDisposable {
  readonly service: Service;
  readonly browser: Browser;
  readonly #directory: ReturnType<typeof temporaryDirectory>;
  #nowMs = NOON_MS;
  #apiKey = '';
  /** Activities of the venue, and one of another venue. */
  activity = '';
  venueId = '';
  otherActivity = '';

  private constructor(service: Service, browser: Browser, directory: ReturnType<typeof temporaryDirectory>) {
    this.service = service;
    this.browser = browser;
    this.#directory = directory;
  }

  static async open(): Promise<GateTest> {
    const directory = temporaryDirectory();
    const [clock, camera] = [directory.file('now'), directory.file('camera.y4m')];
    writeFileSync(clock, String(NOON_MS));
    showToCamera(camera, null);
    const settings = { DATA_DIR: directory.file('data'), PORT: '0', LOG_LEVEL: 'warn', WAYMARK_TEST_CLOCK: clock };
    const [service, browser] = await Promise.all([startService(settings), openBrowser(cameraArguments(camera))]);
    const gate = new GateTest(service, browser, directory);
    await gate.#prepare();
    return gate;
  }

  async #prepare(): Promise<void> {
    const { key } = await this.api<{ key: string }>('POST', '/api/keys', { name: 'Gate', plan: 'enterprise' });
    this.#apiKey = key;
    type Inventory = { inventory: { activity_id: string; venue_id: string }[] };
    const { inventory } = await this.api<Inventory>('GET', '/api/b2a/inventory?city=Bangkok&limit=50', undefined, {
      'x-api-key': key,
    });
    const [first] = inventory;
    const other = inventory.find(({ venue_id }) => venue_id !== first?.venue_id);
    if (first === undefined || other === undefined) throw new Error('Bangkok has no two venues today');
    [this.activity, this.venueId, this.otherActivity] = [first.activity_id, first.venue_id, other.activity_id];
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Of the service; a phone takes it over at the call of `Phone.follow`. */
  moveClock(ms: number): void {
    this.#nowMs += ms;
    writeFileSync(this.#directory.file('now'), String(this.#nowMs));
  }

  /** What cameras that start from now on see. */
  show(text: string | null): void {
    showToCamera(this.#directory.file('camera.y4m'), text);
  }

  book(change: object = {}): Promise<Booked> {
    const wish = {
      activity_id: this.activity,
      booking_date: TODAY,
      user_name: 'Ada Lovelace',
      user_email: 'ada@example.com',
      special_requests: 'A table without stairs',
      num_adults: 2,
    };
    return this.api('POST', '/api/b2a/execute_booking', { ...wish, ...change }, { 'x-api-key': this.#apiKey });
  }

  /** As the API key. */
  asAgent<T>(method: string, path: string, body?: unknown): Promise<T> {
    return this.api(method, path, body, { 'x-api-key': this.#apiKey });
  }

  device(venueId: string = this.venueId, name = 'North'): Promise<Gated> {
    return this.api('POST', `/api/venues/${venueId}/devices`, { name });
  }

  /** What the QR code of a voucher says, read from its picture. */
  async qrText({ voucher: { qr_url: url } }: Booked): Promise<string> {
    const response = await fetch(`${this.service.url}${new URL(url).pathname}`);
    const { data, width, height } = PNG.sync.read(Buffer.from(await response.arrayBuffer()));
    const found = jsQR(new Uint8ClampedArray(data), width, height)?.data;
    if (found === undefined) throw new Error('the voucher has no QR code');
    return found;
  }

  /** The guests of a booking who are present, as the service lists them. */
  async present(device: Gated, bookingId: string): Promise<number | undefined> {
    return (await this.#listed(device, bookingId))?.guests_present;
  }

  /** When a booking was verified, as the service lists it. */
  async visitAt(device: Gated, bookingId: string): Promise<string | null | undefined> {
    return (await this.#listed(device, bookingId))?.verified_at;
  }

  async #listed({ device_key: key }: Gated, bookingId: string) {
    type List = { items: { booking_id: string; guests_present: number; verified_at: string | null }[] };
    // The list must contain what the phones have recorded.
    const { items: projections } = await this.api<{ items: { head: string }[] }>('GET', '/api/ops/projections');
    const caller = { 'x-device-key': key, 'x-position': projections[0]?.head ?? '' };
    const { items } = await this.api<List>('GET', '/api/venue/arrivals', undefined, caller);
    return items.find(({ booking_id: id }) => id === bookingId);
  }

  /** A request to the API, with the operator's token unless a header names another caller. @throws for a refusal */
  async api<T>(method: string, path: string, body?: unknown, caller?: Readonly<Record<string, string>>): Promise<T> {
    const response = await fetch(`${this.service.url}${path}`, {
      method,
      headers: {
        ...(caller ?? { authorization: `Bearer ${this.service.adminToken}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { readonly data: T };
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer.data;
  }

  /** A phone that is not signed in. */
  async phone(language = 'en'): Promise<Phone> {
    const context = await this.browser.newContext({
      viewport: PHONE,
      deviceScaleFactor: 2,
      hasTouch: true,
      isMobile: true,
      locale: language,
      permissions: ['camera'],
      reducedMotion: 'reduce',
    });
    const phone = new Phone(context, await context.newPage(), this);
    await phone.follow();
    return phone;
  }

  /** A phone that a device's link has signed in. */
  async signedIn(device: Gated, language = 'en'): Promise<Phone> {
    const phone = await this.phone(language);
    await phone.page.goto(`${this.service.url}/gate#${device.device_key}`);
    await phone.page.locator('nav').waitFor();
    return phone;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser.close();
    await this.service[Symbol.asyncDispose]();
    this.#directory.remove();
  }
}

export class Phone implements AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the browser's console said that is a fault: a breach of the page's policy, an exception. */
  readonly complaints: string[] = [];
  readonly #gate: GateTest;

  constructor(context: BrowserContext, page: Page, gate: GateTest) {
    this.context = context;
    this.page = page;
    this.#gate = gate;
    page.on('pageerror', (fault) => this.complaints.push(String(fault)));
    page.on('console', (message) => {
      // Chromium also logs each refusal of the API, and each request without a network.
      const isExpected = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isExpected) this.complaints.push(message.text());
    });
  }

  /** The clock of the phone is that of the service from now on, and stands still too. */
  follow(): Promise<void> {
    return this.page.clock.setFixedTime(this.#gate.nowMs);
  }

  get verdict(): Locator {
    return this.page.getByRole('alertdialog');
  }

  /** Types a code, or what a QR code says, and waits for the answer. */
  async type(text: string): Promise<Locator> {
    await this.enter(text);
    await this.verdict.waitFor();
    return this.verdict;
  }

  async enter(text: string): Promise<void> {
    await this.page.getByLabel('Voucher code').fill(text);
    await this.page.getByRole('button', { name: 'Check' }).click();
  }

  async tap(name: string | RegExp): Promise<void> {
    await this.page.getByRole('button', { name }).click();
  }

  /**
   * Fetches the lists and uploads now, as when the network comes back. A fetch that runs already may have
   * begun before: the page joins it, so this asks again until it sees a whole one.
   */
  async refresh(): Promise<void> {
    const REPEAT_MS = 3_000;
    for (;;) {
      const lists = this.page.waitForResponse(/\/api\/venue\/revocations/, { timeout: REPEAT_MS }).catch(() => null);
      await this.page.evaluate('dispatchEvent(new Event("online"))');
      if ((await lists) !== null) break;
    }
    await this.page.waitForLoadState('networkidle');
  }

  async setOffline(isOffline: boolean): Promise<void> {
    await this.context.setOffline(isOffline);
  }

  /** A picture of the page for people, in the folder that WAYMARK_PICTURES names, if any. */
  async photograph(name: string): Promise<void> {
    const folder = process.env['WAYMARK_PICTURES'];
    if (folder !== undefined) await this.page.screenshot({ path: join(folder, `${name}.png`) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close();
  }
}
