import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { LANGUAGES } from '../../../../src/domain/activity/vocabulary.ts';
import { TEXTS } from '../../../../src/pages/gate/texts/all.ts';
import { seriousFindings, WIDER_THAN_SCREEN } from '../dashboard/dashboard.ts';
import { type Booked, type Gated, GateTest, type Phone, START_MS } from './gate.ts';

const MINUTE_MS = 60_000;
/** Of WCAG 2.2, 1.4.6. */
const CONTRAST = 7;
/** CSS pixels of what a thumb touches, and of letters. */
const TARGET = 56;
const LETTERS = 18;
const VERDICT_LETTERS = 40;
const SMALLEST_PHONE = { width: 320, height: 568 };
const PHONE = { width: 390, height: 844 };

let gate: GateTest;
let north: Gated;
let valid: Booked;
let used: string;
beforeAll(async () => {
  gate = await GateTest.open();
  north = await gate.device();
  valid = await gate.book({ num_adults: 3, num_children: 1, user_name: 'Wilhelmina Oosterhuis-Vanderbilt' });
  const visited = await gate.book({ user_name: 'Nguyễn Thị Minh Khai' });
  used = await gate.qrText(visited);
  gate.moveClock(MINUTE_MS);
  const caller = { 'x-device-key': north.device_key };
  await gate.api('POST', '/api/venue/verify', { code: used, gate: 'North', guests_present: 1 }, caller);
}, START_MS);
afterAll(() => gate[Symbol.asyncDispose]());

/** Contrast of text and background of an element, from the colours that the browser computed. */
const CONTRAST_OF = (selector: string): string => `(() => {
  const light = (color) => {
    const [r, g, b] = color.match(/[\\d.]+/g).slice(0, 3).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const { color, backgroundColor } = getComputedStyle(document.querySelector('${selector}'));
  const [low, high] = [light(color), light(backgroundColor)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
})()`;

/** Buttons, fields and links that are in view and smaller than a thumb. */
const SMALL_TARGETS = `[...document.querySelectorAll('button, input:not([type=checkbox]), select, .switch')]
  .filter((each) => each.offsetParent !== null || getComputedStyle(each).position === 'fixed')
  .filter((each) => each.getBoundingClientRect().height < ${TARGET} || each.getBoundingClientRect().width < ${TARGET})
  .map((each) => each.outerHTML.slice(0, 120))`;

async function expectUsable(phone: Phone): Promise<void> {
  const { page } = phone;
  expect(await page.evaluate<string[]>(SMALL_TARGETS)).toEqual([]);
  await page.setViewportSize(SMALLEST_PHONE);
  expect(await page.evaluate<string[]>(WIDER_THAN_SCREEN)).toEqual([]);
  await page.setViewportSize(PHONE);
}

describe.each([...LANGUAGES])('on a phone in %s', (language) => {
  const text = TEXTS[language];

  test('each view fits the screen, and axe finds nothing serious, light and dark', async () => {
    await using phone = await gate.phone(language);
    const { page } = phone;
    await page.goto(`${gate.service.url}/gate`);
    await page.getByText(text.signIn.text).waitFor();
    expect(await page.evaluate<string>('document.documentElement.lang')).toBe(language);
    await expectUsable(phone);
    await phone.photograph(`gate-${language}-1-sign-in`);

    gate.show(await gate.qrText(valid));
    await page.goto('about:blank');
    await page.goto(`${gate.service.url}/gate#${north.device_key}`);
    await page.getByRole('button', { name: text.admit(4) }).waitFor();
    expect(await phone.verdict.innerText()).toContain(text.words.admit);
    expect(await page.evaluate<number>(CONTRAST_OF('.verdict'))).toBeGreaterThanOrEqual(CONTRAST);
    const sizes = `['body', '.verdict h1'].map((each) => parseFloat(getComputedStyle(document.querySelector(each)).fontSize))`;
    const [body = 0, heading = 0] = await page.evaluate<number[]>(sizes);
    expect(body).toBeGreaterThanOrEqual(LETTERS);
    expect(heading).toBeGreaterThanOrEqual(VERDICT_LETTERS);
    expect(await seriousFindings(page)).toEqual([]);
    await expectUsable(phone);
    await phone.photograph(`gate-${language}-2-admit`);
    // The camera starts again whenever the view is opened again.
    gate.show(null);
    await phone.tap(text.close);

    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const view of ['list', 'waiting', 'more', 'scan'] as const) {
        await phone.tap(text.views[view]);
        expect(await seriousFindings(page)).toEqual([]);
        if (colorScheme === 'light') await expectUsable(phone);
        if (view !== 'waiting') await phone.photograph(`gate-${language}-3-${view}-${colorScheme}`);
      }
    }

    await page.locator('#code').fill(used);
    await page.locator('.typed button').click();
    await phone.verdict.getByRole('heading', { name: text.words.refuse }).waitFor();
    expect(await page.evaluate<number>(CONTRAST_OF('.verdict'))).toBeGreaterThanOrEqual(CONTRAST);
    expect(await seriousFindings(page)).toEqual([]);
    await expectUsable(phone);
    await phone.photograph(`gate-${language}-4-refuse`);
    await phone.tap(text.next);

    await phone.setOffline(true);
    await page.clock.setFixedTime(gate.nowMs + 16 * MINUTE_MS);
    await page.locator('#code').fill(await gate.qrText(valid));
    await page.locator('.typed button').click();
    await phone.verdict.getByRole('heading', { name: text.words.check }).waitFor();
    expect(await page.evaluate<number>(CONTRAST_OF('.verdict'))).toBeGreaterThanOrEqual(CONTRAST);
    expect(await seriousFindings(page)).toEqual([]);
    await expectUsable(phone);
    await phone.photograph(`gate-${language}-5-check`);
    expect(phone.complaints).toEqual([]);
  });
});
