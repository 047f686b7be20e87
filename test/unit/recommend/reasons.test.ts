import { describe, expect, test } from 'bun:test';
import type { Activity } from '../../../src/domain/activity/activity.ts';
import { CITY_NAMES, cityFacts } from '../../../src/domain/activity/cities.ts';
import {
  AGE_GROUPS,
  CATEGORIES,
  LANGUAGES,
  type Language,
  SETTINGS,
  TIMES_OF_DAY,
  TRAVEL_TYPES,
} from '../../../src/domain/activity/vocabulary.ts';
import { BUDGETS, type TravelProfile } from '../../../src/domain/recommendation/profile.ts';
import type { ScoredActivity } from '../../../src/recommend/rank.ts';
import { PHRASES } from '../../../src/recommend/reasons/languages.ts';
import type { Phrases } from '../../../src/recommend/reasons/phrases.ts';
import { type ReasonContext, reasonFor } from '../../../src/recommend/reasons/reason.ts';
import { environmentSummary, profileSummary } from '../../../src/recommend/reasons/summaries.ts';
import { date, hotelId } from '../../support/examples.ts';
import { NOW, scoredActivity, TODAY } from './scored-activity.ts';

const A_COUPLE: TravelProfile = {
  travelType: 'couple',
  nationality: null,
  interests: [],
  budget: null,
  ageGroup: null,
};
const ASKER: ReasonContext = { profile: A_COUPLE, hotel: null, today: TODAY };
const PIER_HOUSE = {
  id: hotelId('pier-house'),
  name: 'The Pier House',
  address: '5 Pier Road, Bangkok 10200',
  city: 'Bangkok',
  lat: 13.75,
  lon: 100.49,
  rates: [],
} as const;

function english(
  change: Partial<ScoredActivity>,
  activity: Partial<Activity> = {},
  asker: Partial<ReasonContext> = {},
): string {
  return reasonFor(scoredActivity(change, activity), { ...ASKER, ...asker }, 'en');
}

function factorsWith(change: Partial<ScoredActivity['factors']>): ScoredActivity['factors'] {
  return { ...scoredActivity().factors, ...change };
}

describe('a reason', () => {
  test('mentions the facts behind the factors that decided, most points above the middle first', () => {
    expect(english({})).toBe('It is well suited to couples. You can still go today.');
    expect(english({ factors: factorsWith({ profile: 300 }) })).toBe(
      'You can still go today. It is well suited to couples.',
    );
  });

  test.each<[string, Partial<ScoredActivity>, Partial<Activity>, Partial<ReasonContext>]>([
    [
      'It matches your interest in aquariums. You can still go today.',
      {},
      {},
      { profile: { ...A_COUPLE, interests: ['aquarium', 'spa'] } },
    ],
    [
      'It is comfortable for seniors. You can still go today.',
      {},
      { travelTypes: ['family'], ageGroups: ['senior'] },
      { profile: { ...A_COUPLE, ageGroup: 'senior' } },
    ],
    ['You can still go today.', {}, { travelTypes: ['family'] }, {}],
    [
      'It is well suited to couples. 12 travellers like you have visited it, confirmed at the venue. You can still go today.',
      { evidence: { visited: 12.3, expected: 10, sameType: true }, factors: factorsWith({ groundTruth: 800 }) },
      {},
      {},
    ],
    [
      'It is well suited to couples. You can still go today. One visit has been confirmed at the venue.',
      { evidence: { visited: 0.6, expected: 0.2, sameType: false }, factors: factorsWith({ groundTruth: 650 }) },
      {},
      {},
    ],
    [
      'It is well suited to couples. It is indoors, so the rain (85% likely) will not matter. You can still go today.',
      { weather: { temperatureC: 27, precipitationProbability: 0.85 }, factors: factorsWith({ weather: 950 }) },
      { setting: 'indoor' },
      {},
    ],
    [
      'It is well suited to couples. You can still go today. It is indoors, a good escape from the 36 °C outside.',
      { weather: { temperatureC: 36, precipitationProbability: 0.1 } },
      { setting: 'indoor' },
      {},
    ],
    [
      'It is well suited to couples. The weather is right for being outdoors: 28 °C and a 10% chance of rain. You can still go today.',
      { weather: { temperatureC: 28, precipitationProbability: 0.1 }, factors: factorsWith({ weather: 900 }) },
      { setting: 'outdoor' },
      {},
    ],
    [
      'It is well suited to couples. You can go this evening, when it is at its best.',
      { plan: { startMs: NOW, bestTime: 'evening' } },
      {},
      {},
    ],
    ['It is well suited to couples. It can be booked for Tuesday 24 November.', { date: date('2026-11-24') }, {}, {}],
    ['It is well suited to couples. You can still go today. It is only 1.2 km from you.', { distanceKm: 1.24 }, {}, {}],
    [
      'It is well suited to couples. You can still go today. Its price is among the lower ones in the city.',
      { priceLevel: 0.2 },
      {},
      { profile: { ...A_COUPLE, budget: 'budget' } },
    ],
    [
      'It is well suited to couples. You can still go today. The price includes 15% off for guests of The Pier House.',
      { hotelPercentOff: 15 },
      {},
      { hotel: PIER_HOUSE },
    ],
    [
      'It is well suited to couples. You can still go today. A flash deal takes 40% off if it is booked today.',
      { deal: { discountPercent: 40, expiresAtMs: NOW + 1, by: 'policy' } },
      {},
      { hotel: PIER_HOUSE },
    ],
  ])('%s', (sentence, change, activity, asker) => {
    expect(english(change, activity, asker)).toBe(sentence);
  });

  test('makes no false claim: fine weather in rain, a low price, a short distance', () => {
    const wet = { temperatureC: 28, precipitationProbability: 0.6 };
    const profile = { ...A_COUPLE, budget: 'budget' } as const;
    const reason = english({ weather: wet, priceLevel: 0.9, distanceKm: 30 }, { setting: 'outdoor' }, { profile });
    expect(reason).toBe('It is well suited to couples. You can still go today.');
  });

  test.each([
    ['budget', [0.33], [0.34, 1]],
    ['mid', [0.34, 0.66], [0.33, 0.67]],
    ['luxury', [0.67, 1], [0, 0.5, 0.66]],
  ] as const)('with a %s budget mentions the price level at %j, not at %j', (budget, mentioned, omitted) => {
    const sentenceAt = (priceLevel: number) => english({ priceLevel }, {}, { profile: { ...A_COUPLE, budget } });
    for (const level of mentioned) expect(sentenceAt(level)).toEndWith(PHRASES.en.budget[budget]);
    for (const level of omitted) expect(sentenceAt(level)).not.toContain(PHRASES.en.budget[budget]);
  });

  test('has complete sentences in every language, for any facts', () => {
    const cases = CATEGORIES.flatMap((category) =>
      [null, ...TIMES_OF_DAY].flatMap((bestTime) =>
        SETTINGS.flatMap((setting) => [0.1, 0.9].map((rain) => ({ category, bestTime, setting, rain }))),
      ),
    );
    for (const language of LANGUAGES) {
      const seen = new Set<string>();
      for (const { category, bestTime, setting, rain } of cases) {
        const facts = {
          plan: { startMs: NOW, bestTime },
          weather: { temperatureC: 29.4, precipitationProbability: rain },
          hotelPercentOff: 10,
        };
        const asker = { profile: { ...A_COUPLE, interests: [category] }, hotel: PIER_HOUSE, today: TODAY };
        const reason = reasonFor(scoredActivity(facts, { category, setting }), asker, language);
        expectValid(reason, language);
        seen.add(reason);
      }
      expect(seen.size).toBeGreaterThan(100);
    }
  });
});

describe('the phrases', () => {
  test.each(LANGUAGES)('of %s are distinct and complete', (language) => {
    const all = sentencesOf(PHRASES[language]);
    for (const text of all) expectValid(text, language);
    expect(new Set(all).size).toBe(all.length);
    if (language !== 'en') {
      const inEnglish = new Set(sentencesOf(PHRASES.en));
      expect(all.filter((text) => inEnglish.has(text))).toEqual([]);
    }
  });
});

describe('the summaries', () => {
  test.each<[Language, string]>([
    ['en', 'Family, with children, from Germany, interested in spas and nightlife, luxury budget'],
    ['th', 'ครอบครัว · มีเด็กร่วมเดินทาง · จากเยอรมนี · สนใจสปาและสถานบันเทิงยามค่ำคืน · งบระดับหรู'],
    ['vi', 'Gia đình, có trẻ em, đến từ Đức, quan tâm đến spa và giải trí về đêm, ngân sách cao cấp'],
    ['id', 'Keluarga, bersama anak, dari Jerman, berminat pada spa dan hiburan malam, anggaran mewah'],
    ['ms', 'Keluarga, bersama kanak-kanak, dari Jerman, berminat dengan spa dan hiburan malam, bajet mewah'],
    ['zh', '家庭出游，有儿童同行，来自德国，兴趣：水疗和夜生活，预算宽裕'],
    ['ja', '家族旅行、子ども連れ、ドイツから、興味：スパ、ナイトライフ、予算はゆったり'],
    ['ko', '가족 여행, 아이 동반, 독일 출신, 관심사: 스파 및 나이트라이프, 넉넉한 예산'],
  ])('describe a traveller in %s', (language, summary) => {
    const profile = {
      travelType: 'family',
      nationality: 'DE',
      interests: ['spa', 'nightlife'],
      budget: 'luxury',
      ageGroup: 'family',
    } as const;
    expect(profileSummary(profile, language)).toBe(summary);
  });

  test('describe a traveller with few fields briefly', () => {
    expect(profileSummary(A_COUPLE, 'en')).toBe('Couple');
  });

  test.each<[Language, string]>([
    [
      'en',
      'Bangkok, Saturday 21 November at 10:00 local time. Forecast (Open-Meteo): 31 °C, 20% chance of rain, wind 9 km/h.',
    ],
    [
      'th',
      'Bangkok วันเสาร์ที่ 21 พฤศจิกายน เวลา 10:00 ตามเวลาท้องถิ่น พยากรณ์อากาศ (Open-Meteo): 31 °C โอกาสฝนตก 20% ลม 9 กม./ชม.',
    ],
    [
      'vi',
      'Bangkok, lúc 10:00 Thứ Bảy, 21 tháng 11 (giờ địa phương). Dự báo (Open-Meteo): 31 °C, khả năng mưa 20%, gió 9 km/h.',
    ],
    [
      'id',
      'Bangkok, Sabtu, 21 November pukul 10.00 (waktu setempat). Prakiraan (Open-Meteo): 31 °C, peluang hujan 20%, angin 9 km/jam.',
    ],
    [
      'ms',
      'Bangkok, Sabtu, 21 November pada 10:00 (waktu tempatan). Ramalan (Open-Meteo): 31 °C, kebarangkalian hujan 20%, angin 9 km/j.',
    ],
    ['zh', 'Bangkok，当地时间11月21日星期六 10:00。天气预报（Open-Meteo）：31°C，降雨概率20%，风速9公里/小时。'],
    ['ja', 'Bangkok、現地時間11月21日土曜日 10:00。天気予報（Open-Meteo）：31°C、降水確率20%、風速9km/h。'],
    ['ko', 'Bangkok, 현지 시각 11월 21일 토요일 10:00. 예보(Open-Meteo): 31°C, 강수 확률 20%, 풍속 9km/h.'],
  ])('describe the environment in %s', (language, summary) => {
    const conditions = { temperatureC: 31.4, precipitationProbability: 0.2, windKmh: 9, source: 'open-meteo' } as const;
    expect(environmentSummary('Bangkok', NOW, conditions, language)).toBe(summary);
  });

  test('name climate normals without a forecast, and use local time', () => {
    const usual = { temperatureC: 31, precipitationProbability: 0.2, windKmh: 9, source: 'climate-normals' } as const;
    const forecast = { ...usual, source: 'open-meteo' } as const;
    for (const language of LANGUAGES) {
      for (const city of CITY_NAMES) {
        const summary = environmentSummary(city, NOW, usual, language);
        expectValid(summary, language);
        expect(summary).not.toBe(environmentSummary(city, NOW, forecast, language));
        const hour = 3 + cityFacts(city).utcOffsetMinutes / 60;
        expect(summary).toMatch(new RegExp(`${hour}[:.]00`));
      }
    }
  });
});

/** All phrases of a language. */
function sentencesOf(phrases: Phrases): string[] {
  const { profile, environment } = phrases;
  return [
    ...CATEGORIES.map((category) => phrases.interest(phrases.profile.category[category], category)),
    ...TRAVEL_TYPES.map((travelType) => phrases.travelType[travelType]),
    ...AGE_GROUPS.map((ageGroup) => phrases.ageGroup[ageGroup]),
    phrases.visitsBySimilar(1),
    phrases.visitsBySimilar(7),
    phrases.visits(1),
    phrases.visits(7),
    phrases.moreOftenBySimilar('2'),
    phrases.moreOftenBySimilar('2.5'),
    phrases.moreOften('2'),
    phrases.moreOften('2.5'),
    phrases.shelterFromRain(70),
    phrases.shelterFromHeat(36),
    phrases.fineWeather(29, 10),
    phrases.today,
    ...TIMES_OF_DAY.map((time) => phrases.todayAtItsBest[time]),
    phrases.onDate('12'),
    phrases.near('1.2'),
    ...BUDGETS.map((budget) => phrases.budget[budget]),
    phrases.flashDeal(40),
    phrases.hotelRate(10, 'The Pier House'),
    ...TRAVEL_TYPES.map((travelType) => profile.travelType[travelType]),
    ...BUDGETS.map((budget) => profile.budget[budget]),
    ...AGE_GROUPS.map((ageGroup) => profile.ageGroup[ageGroup]),
    profile.interests('12'),
    profile.from('12'),
    environment.now('Bangkok', '10:00'),
    environment.forecast(29, 10, 5),
    environment.usual('12', 29, 10, 5),
  ];
}

const SCRIPTS: Partial<Record<Language, RegExp>> = {
  th: /\p{Script=Thai}/u,
  zh: /\p{Script=Han}/u,
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
  ko: /\p{Script=Hangul}/u,
};

/** Checks that a text is complete, has no doubled spaces or marks, and uses the language's script. */
function expectValid(text: string, language: Language): void {
  expect(text).not.toMatch(/undefined|null|NaN|\[object|\$\{| {2}|^\s|\s$|[,.、。]{2}/);
  expect(text).toMatch(SCRIPTS[language] ?? /\p{Script=Latin}/u);
}
