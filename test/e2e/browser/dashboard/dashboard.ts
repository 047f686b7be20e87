import { expect, setDefaultTimeout } from 'bun:test';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { type Service, type Settings, startService } from '../../../support/process.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { openBrowser } from '../chromium.ts';

export const START_MS = 240_000;

/** A browser on a busy machine takes its time. */
setDefaultTimeout(120_000);

const WIDTHS = {
  phone: { width: 360, height: 780 },
  tablet: { width: 820, height: 1180 },
  desktop: { width: 1280, height: 900 },
};
const SCHEMES = ['light', 'dark'] as const;

/** A service as a process of its own, and a browser that reaches nothing else. */
export class Dashboard implements AsyncDisposable {
  readonly service: Service;
  readonly #browser: Browser;
  readonly #directory: ReturnType<typeof temporaryDirectory>;

  constructor(service: Service, browser: Browser, directory: ReturnType<typeof temporaryDirectory>) {
    this.service = service;
    this.#browser = browser;
    this.#directory = directory;
  }

  /** Opens a page of the dashboard, signed in. */
  async open(
    path: string,
    token: string = this.service.adminToken,
    options: BrowserContextOptions = {},
  ): Promise<Visit> {
    const context = await this.#browser.newContext({ viewport: WIDTHS.desktop, reducedMotion: 'reduce', ...options });
    await context.route(
      (url) => url.origin !== this.service.url,
      (route) => route.abort(),
    );
    const page = await context.newPage();
    const visit = new Visit(context, page, this.service.url);
    await page.goto(`${this.service.url}/dashboard${path}`);
    await page.getByLabel('API key or operator token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    return visit;
  }

  /** A request to the API with the operator's token. @throws for a refusal */
  async api<T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<T> {
    const response = await fetch(`${this.service.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.service.adminToken}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { readonly data: T };
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer.data;
  }

  /** Resolves once every read model has applied the whole log. */
  async projected(): Promise<void> {
    type Shown = { readonly items: readonly { readonly caught_up: boolean }[] };
    const all = () => this.api<Shown>('GET', '/api/ops/projections');
    while (!(await all()).items.every((projection) => projection.caught_up));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    await this.service[Symbol.asyncDispose]();
    this.#directory.remove();
  }
}

export async function openDashboard(settings: Partial<Settings> = {}): Promise<Dashboard> {
  const directory = temporaryDirectory();
  const starting = startService({ DATA_DIR: directory.file('data'), PORT: '0', LOG_LEVEL: 'warn', ...settings });
  const [service, browser] = await Promise.all([starting, openBrowser()]);
  return new Dashboard(service, browser, directory);
}

/** The elements that make the page wider than its window. */
export const WIDER_THAN_SCREEN = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const wide = [...document.querySelectorAll('body *')].filter((each) => each.getBoundingClientRect().right > clientWidth + 1);
  return wide.map((each) => each.outerHTML.slice(0, 200));
})()`;

/** One browser window, with cookies of its own. */
export class Visit implements AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the browser's console said that is a fault: a breach of the page's policy, an exception, a missing file. */
  readonly complaints: string[] = [];
  readonly #origin: string;

  constructor(context: BrowserContext, page: Page, origin: string) {
    this.context = context;
    this.page = page;
    this.#origin = origin;
    page.on('pageerror', (fault) => this.complaints.push(String(fault)));
    page.on('console', (message) => {
      // Chromium also logs each refusal of the API.
      const refused = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !refused) this.complaints.push(message.text());
    });
  }

  /** Opens another page of the dashboard with the same session, as a click would. */
  async go(path: string): Promise<void> {
    await this.page.goto(`${this.#origin}/dashboard${path}`);
  }

  heading(name: string | RegExp, level = 1): Locator {
    return this.page.getByRole('heading', { name, level });
  }

  /** No serious finding of axe, in light and dark, and nothing wider than the screen of a phone. */
  async expectAccessible(): Promise<void> {
    for (const colorScheme of SCHEMES) {
      await this.page.emulateMedia({ colorScheme });
      expect(await seriousFindings(this.page)).toEqual([]);
    }
    await this.page.setViewportSize(WIDTHS.phone);
    expect(await this.page.evaluate(WIDER_THAN_SCREEN)).toEqual([]);
    await this.page.setViewportSize(WIDTHS.desktop);
    await this.page.emulateMedia({ colorScheme: 'light' });
  }

  /** Pictures of the page for people: at each width, light and dark, in the folder that WAYMARK_PICTURES names, if any. */
  async photograph(name: string): Promise<void> {
    const folder = process.env['WAYMARK_PICTURES'];
    if (folder === undefined) return;
    for (const [device, viewport] of Object.entries(WIDTHS))
      for (const colorScheme of SCHEMES) {
        await this.page.setViewportSize(viewport);
        await this.page.emulateMedia({ colorScheme });
        await this.page.screenshot({ path: join(folder, `${name}.${device}.${colorScheme}.png`), fullPage: true });
      }
    await this.page.setViewportSize(WIDTHS.desktop);
    await this.page.emulateMedia({ colorScheme: 'light' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close();
  }
}

/** Findings of axe that are serious or critical, as `rule: the first element that breaks it`. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // The policy of the page refuses scripts in it; the protocol of the browser does not.
  await page.evaluate(axe.source);
  type Finding = { readonly id: string; readonly impact: string; readonly nodes: readonly { readonly html: string }[] };
  const found = await page.evaluate<readonly Finding[]>('axe.run().then(({ violations }) => violations)');
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

/** Presses Tab until the element with this name has the focus. @throws if no element has it */
export async function pressTabUntil(page: Page, name: RegExp): Promise<void> {
  const MOST = 400;
  for (let press = 0; press < MOST; press++) {
    await page.keyboard.press('Tab');
    if (name.test(await page.evaluate<string>(FOCUSED))) return;
  }
  throw new Error(`no element named ${name} got the focus`);
}

/** The label or text of the element that has the focus, in one line. */
const FOCUSED = `(() => {
  const { labels, textContent } = document.activeElement;
  return (labels?.[0]?.textContent || textContent || '').trim().replaceAll(/\\s+/g, ' ');
})()`;

/** What a sign-out on another computer does: the session ends, and this page does not know. */
export function endSession(page: Page): Promise<unknown> {
  return page.evaluate(`(async () => {
    const { data } = await (await fetch('/api/sessions/current')).json();
    return fetch('/api/sessions/current', { method: 'DELETE', headers: { 'x-csrf-token': data.csrf_token } });
  })().then(({ status }) => status)`);
}
