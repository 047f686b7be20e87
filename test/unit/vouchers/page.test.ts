import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { CITY_NAMES } from '../../../src/domain/activity/cities.ts';
import { LANGUAGES, type Language } from '../../../src/domain/activity/vocabulary.ts';
import { cancellationText } from '../../../src/vouchers/cancellation-texts.ts';
import { MAIL_TEXTS } from '../../../src/vouchers/mail-texts.ts';
import { voucherPage } from '../../../src/vouchers/page.ts';
import { GUEST_TEXTS } from '../../../src/vouchers/page-guest-texts.ts';
import { VOUCHER_PAGE_HEADERS } from '../../../src/vouchers/page-headers.ts';
import { PAGE_TEXTS } from '../../../src/vouchers/page-texts.ts';
import { qrSvg } from '../../../src/vouchers/qr.ts';
import { normalizeCode } from '../../../src/vouchers/token.ts';
import { someCode } from './given.ts';
import { qrText, SPOILT, token, view, visible } from './given-page.ts';

describe('the page of a valid voucher', () => {
  const page = voucherPage(view);
  const text = visible(page);

  test('shows the QR code of its address with the token', () => {
    expect(page).toContain(qrSvg(qrText, PAGE_TEXTS.en.qrCode));
    expect(text).toContain(PAGE_TEXTS.en.show);
  });

  test.each([
    ['activity', 'Aquarium walk'],
    ['guest', 'Guest Somchai Prasertkul'],
    ['date with its weekday', 'Saturday, 21 November 2026'],
    ['opening hours', 'Opening hours 10:00–18:00 Indochina Time (GMT+7)'],
    ['guests', 'Guests 2 adults , 1 child'],
    ['venue and address', 'Siam Ocean World 991 Rama I Road, Bangkok 10330'],
    ['check-in instructions', 'Group entrance, floor B1. Lockers are free.'],
    ['end at the city, with its zone', '21 November 2026 at 18:00 Indochina Time (GMT+7)'],
    ['code in groups', 'WM- 7GK2M 0Q9XW 4T1ZC 8RB5N- 3H6V0Y J2PD9 S4QAE K7M1X W8TGZ'],
    ['short code in two groups', 'Short code 7GK2M 0Q9XW'],
    ['price paid', 'Total price THB 2,400.00 Discount included: THB 240.00 Not refundable: THB 120.00'],
    [
      'cancellation policy',
      'Free cancellation until 24 hours before opening on the date; after that 50% of the price is kept.',
    ],
    ['booking id', 'Booking number bk_h76cfakt2c43vdqm2ryg'],
    ['maker', 'Waymark'],
  ])('shows the %s', (_, expected) => {
    expect(text).toContain(expected);
  });

  test('shows a code that can be typed', () => {
    const shown = /WM- .* W8TGZ/.exec(text)?.[0] ?? '';
    expect(normalizeCode(shown)).toBe(someCode);
  });

  test('uses the singular for one guest, and leaves out zero children', () => {
    expect(visible(voucherPage({ ...view, numAdults: 1, numChildren: 0 }))).toContain('Guests 1 adult Guest');
  });

  test('does not mention use, cancellation or expiry', () => {
    const headings = SPOILT.map(({ kind }) => PAGE_TEXTS.en[kind].heading);
    expect(headings.filter((heading) => text.includes(heading))).toEqual([]);
  });
});

describe('the page of a voucher that is not valid for entry', () => {
  const cases = LANGUAGES.flatMap((language) => SPOILT.map((state) => [language, state.kind, state] as const));

  test.each(cases)('%s, %s: says so and shows neither QR code nor token', (language, kind, state) => {
    const page = voucherPage({ ...view, language, state });
    const { heading, text } = PAGE_TEXTS[language][kind];
    expect(page).toContain(`<h2>${heading}</h2>`);
    expect(visible(page)).toContain(text);
    expect(page).not.toContain('<svg');
    expect(page).not.toContain('<script');
    expect(visible(page)).toContain(GUEST_TEXTS[language].next[kind]);
    expect(page).not.toContain(token);
    expect(visible(page)).not.toContain(PAGE_TEXTS[language].show);
  });

  test('shows the reason in English too, for the gate staff', () => {
    const page = voucherPage({ ...view, language: 'ko', state: { kind: 'expired' } });
    expect(page).toContain('<p class="english" lang="en">Expired</p>');
  });

  test('shows when it was cancelled, in local time', () => {
    const page = voucherPage({
      ...view,
      city: 'Singapore',
      state: { kind: 'cancelled', atMs: Date.parse('2026-11-19T17:30:00Z'), refundMinor: 0 },
    });
    expect(visible(page)).toContain('20 November 2026 at 01:30 Singapore');
  });
});

describe('in every language', () => {
  const titleOf: Readonly<Record<Language, string>> = {
    en: 'Aquarium walk',
    th: 'เดินชมอควาเรียม',
    vi: 'Tham quan thủy cung',
    id: 'Jelajah akuarium',
    ms: 'Jelajah akuarium',
    zh: '水族馆漫步',
    ja: '水族館さんぽ',
    ko: '수족관 산책',
  };

  test.each(LANGUAGES.map((language) => [language]))('%s: the page is in it', (language) => {
    const labels = PAGE_TEXTS[language];
    const page = voucherPage({ ...view, language, activityTitle: titleOf[language] });
    const text = visible(page);
    expect(page).toStartWith(`<!doctype html>\n<html lang="${language}">`);
    expect(page).toContain(`<h1>${titleOf[language]}</h1>`);
    const shown = [
      labels.voucher,
      labels.show,
      labels.guest,
      labels.date,
      labels.openingHours,
      labels.guests,
      labels.venue,
    ];
    shown.push(labels.checkIn, labels.code, labels.typeCode, labels.validUntil, labels.keepPrivate);
    shown.push(labels.adults(2), labels.children(1));
    const { map, calendar, language: languageLabel, shortCode } = GUEST_TEXTS[language];
    shown.push(map, calendar, languageLabel, shortCode, MAIL_TEXTS[language].total, MAIL_TEXTS[language].booking);
    shown.push(cancellationText(view.cancellation, language));
    expect(shown.filter((label) => !text.includes(label))).toEqual([]);
  });

  test.each(LANGUAGES.map((language) => [language]))(
    '%s: dates are those of the common era, in plain digits',
    (language) => {
      const text = visible(voucherPage({ ...view, language }));
      expect(text).toMatch(/2026/);
      expect(text).toMatch(/18[:.]00/);
      expect(text).not.toMatch(/2569/);
    },
  );

  test('no text is in another language', () => {
    const wordsOf = (language: Language) =>
      Object.entries(PAGE_TEXTS[language]).flatMap(([name, label]) =>
        typeof label === 'object' ? [`${name}: ${label.text}`] : typeof label === 'string' ? [`${name}: ${label}`] : [],
      );
    const sentences = /^(show|typeCode|keepPrivate|qrCode|used|cancelled|expired): /;
    const all = LANGUAGES.flatMap(wordsOf).filter((words) => sentences.test(words));
    expect(all.length).toBe(LANGUAGES.length * 7);
    expect(new Set(all).size).toBe(all.length);
  });

  test.each(CITY_NAMES.map((city) => [city]))('a zone is named at %s', (city) => {
    expect(visible(voucherPage({ ...view, city }))).toMatch(/Valid until .*\d\d:00 [A-Z][\w ]+ \(GMT\+[78]\)/);
  });
});

describe('nothing in a voucher can become markup', () => {
  const hostile = `</title></style><script>alert(1)</script><img src=x onerror="alert('1')">&lt;`;
  const texts = ['activityTitle', 'guestName', 'venueName', 'venueAddress', 'checkIn', 'code', 'openingHours'] as const;
  const tagsOf = (page: string): string[] => page.match(/<[^>]*>/g) ?? [];

  test.each(texts.map((field) => [field]))('%s', (field) => {
    const page = voucherPage({ ...view, [field]: hostile });
    const harmless = voucherPage({ ...view, [field]: 'A' });
    // The code is split into groups, so there are more of the same tags.
    const tags = field === 'code' ? new Set(tagsOf(page)) : tagsOf(page);
    expect(tags).toEqual(field === 'code' ? new Set(tagsOf(harmless)) : tagsOf(harmless));
  });

  test('a hostile name is shown as text', () => {
    expect(visible(voucherPage({ ...view, guestName: hostile }))).toContain(hostile);
  });

  test('a right-to-left name does not change the direction of the text around it', () => {
    expect(voucherPage({ ...view, guestName: 'محمد' })).toContain('<bdi>محمد</bdi>');
  });
});

describe('the page protects its secret', () => {
  const page = voucherPage(view);

  test('it runs and loads only what this service has', () => {
    expect(page).not.toMatch(/<link|<iframe|\son\w+=|url\(|@import|javascript:/i);
    expect(page.match(/\ssrc="[^"]*"/g)).toEqual([
      ' src="/api/vouchers/page.js"',
      ' src="/pictures/aquarium-walk.svg"',
    ]);
    expect(page.match(/https?:[^"]*/g)).toEqual([
      'http://www.w3.org/2000/svg',
      'https://www.openstreetmap.org/?mlat=13.7466&amp;mlon=100.5347#map=17/13.7466/100.5347',
    ]);
  });

  test('a worker of another release keeps it whole: its style is inside, and the worker knows hint, script and picture', async () => {
    // Names in kept pages and on phones for months: a change needs a worker that knows both forms.
    expect(page.split('<p class="saved" hidden>')).toHaveLength(2);
    expect(page.match(/<script[^]*?<\/script>/g)).toEqual(['<script src="/api/vouchers/page.js" defer></script>']);
    expect(/<img class="picture" src="([^"]+)"/.exec(page)?.[1]).toBe('/pictures/aquarium-walk.svg');
    const worker = await Bun.file(join(import.meta.dir, '../../../src/pages/voucher/worker.ts')).text();
    for (const known of [
      '<p class="saved" hidden>',
      '<script src="[^"]*" defer><\\/script>',
      '<img class="picture" src="',
    ])
      expect(worker).toContain(known);
  });

  test('it disallows indexing and sends no referrer', () => {
    expect(page).toContain('<meta name="robots" content="noindex, nofollow">');
    expect(page).toContain('<meta name="referrer" content="no-referrer">');
  });

  test('its title does not contain the code', () => {
    expect(/<title>(.*?)<\/title>/.exec(page)?.[1]).toBe('Aquarium walk · Voucher · Waymark');
  });

  test('the headers allow its style sheet, its script and pictures of this service, and nothing else', () => {
    const style = /<style>(.*?)<\/style>/s.exec(page)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(VOUCHER_PAGE_HEADERS).toEqual({
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'private, no-store',
      'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${hash}'; script-src 'self'; worker-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex, nofollow',
    });
    expect(page).not.toContain('style=');
  });
});
