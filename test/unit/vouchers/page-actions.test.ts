import { describe, expect, test } from 'bun:test';
import { LANGUAGES } from '../../../src/domain/activity/vocabulary.ts';
import { voucherPage } from '../../../src/vouchers/page.ts';
import { GUEST_TEXTS } from '../../../src/vouchers/page-guest-texts.ts';
import { someCode } from './given.ts';
import { SPOILT, view, visible } from './given-page.ts';

describe('what a guest can do on the page', () => {
  test.each(LANGUAGES.map((language) => [language]))(
    '%s: each language is a link in itself, and one is current',
    (language) => {
      const page = voucherPage({ ...view, language });
      const links = [
        ...page.matchAll(/<a href="\?lang=(\w+)" hreflang="\w+" lang="(\w+)"( aria-current="true")?>([^<]+)</g),
      ];
      expect(links.map(([, to, lang, , name]) => [to, lang, name])).toEqual(
        LANGUAGES.map((each) => [each, each, GUEST_TEXTS[each].name]),
      );
      expect(links.filter(([, , , current]) => current !== undefined).map(([, to]) => to)).toEqual([language]);
    },
  );

  test('the map and the calendar are links of a valid voucher, and the calendar one of a cancelled booking', () => {
    const calendar = `/api/vouchers/${someCode}/calendar.ics?lang=en`;
    const linksOf = (page: string) =>
      [...page.matchAll(/<a href="([^"?]+[^"]*)"/g)].map(([, to]) => to).filter((to) => !to?.startsWith('?'));
    expect(linksOf(voucherPage(view)).at(-1)).toBe(calendar);
    const [cancelled, ...others] = SPOILT.filter(({ kind }) => kind === 'cancelled');
    expect(others).toEqual([]);
    expect(linksOf(voucherPage({ ...view, state: cancelled ?? view.state }))).toContain(calendar);
    expect(linksOf(voucherPage({ ...view, state: { kind: 'expired' } }))).toEqual([]);
  });

  test('a cancelled booking shows what was refunded', () => {
    const state = { kind: 'cancelled', atMs: Date.parse('2026-11-19T17:30:00Z'), refundMinor: 216_000 } as const;
    expect(visible(voucherPage({ ...view, state }))).toContain('Refund THB 2,160.00');
  });

  test.each([
    ['help@waymark.example', 'mailto:help@waymark.example', 'help@waymark.example'],
    ['https://help.waymark.example/', 'https://help.waymark.example/', 'help.waymark.example'],
  ])('the support contact %s is a link', (support, href, text) => {
    expect(voucherPage({ ...view, support })).toContain(`<a href="${href}">${text}</a>`);
  });

  test('without an activity, a short code and a contact, their places are left out', () => {
    const page = voucherPage({ ...view, position: null, picture: null, shortCode: null });
    expect(page).not.toMatch(/openstreetmap|<img|class="short"|mailto:/);
  });

  test.each(LANGUAGES.map((language) => [language]))(
    '%s: the hint of a saved copy is hidden, and has the time with its zone',
    (language) => {
      const page = voucherPage({ ...view, language });
      const hint = /<p class="saved" hidden>([^<]*)<\/p>/.exec(page)?.[1] ?? '';
      expect(hint).toMatch(/9[:.]05/);
      expect(hint).toContain('GMT+7');
    },
  );
});
