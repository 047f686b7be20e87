import { foldName } from '../folded-name.ts';
import { WEEKDAYS, type Weekday } from './vocabulary.ts';

/** Words for 0, 1 and 2 days ahead, in English, Thai, Vietnamese, Indonesian, Malay, Chinese, Japanese and Korean. */
const DAYS_AHEAD = [
  'today, now, tonight, วันนี้, hôm nay, tối nay, hari ini, 今天, 今日, 今晚, きょう, 本日, 오늘',
  'tomorrow, พรุ่งนี้, วันพรุ่งนี้, ngày mai, besok, esok, 明天, 明日, あした, あす, 내일',
  'day after tomorrow, มะรืนนี้, ngày kia, lusa, 后天, 後天, 明後日, あさって, 모레',
];

const WEEKDAY_WORDS: Readonly<Record<Weekday, string>> = {
  mon: 'monday, mon, วันจันทร์, จันทร์, thứ hai, senin, isnin, 星期一, 周一, 週一, 礼拜一, 禮拜一, 月曜日, 月曜, 월요일',
  tue: 'tuesday, tue, tues, วันอังคาร, อังคาร, thứ ba, selasa, 星期二, 周二, 週二, 礼拜二, 禮拜二, 火曜日, 火曜, 화요일',
  wed: 'wednesday, wed, วันพุธ, พุธ, thứ tư, rabu, 星期三, 周三, 週三, 礼拜三, 禮拜三, 水曜日, 水曜, 수요일',
  thu:
    'thursday, thu, thur, thurs, วันพฤหัสบดี, วันพฤหัส, พฤหัสบดี, พฤหัส, thứ năm, kamis, khamis, 星期四, 周四, 週四, ' +
    '礼拜四, 禮拜四, 木曜日, 木曜, 목요일',
  fri: 'friday, fri, วันศุกร์, ศุกร์, thứ sáu, jumat, jumaat, 星期五, 周五, 週五, 礼拜五, 禮拜五, 金曜日, 金曜, 금요일',
  sat: 'saturday, sat, วันเสาร์, เสาร์, thứ bảy, sabtu, 星期六, 周六, 週六, 礼拜六, 禮拜六, 土曜日, 土曜, 토요일',
  sun:
    'sunday, sun, วันอาทิตย์, อาทิตย์, chủ nhật, minggu, ahad, 星期日, 星期天, 周日, 週日, 礼拜天, 禮拜天, 日曜日, 日曜, ' +
    '일요일',
};

const MONTHS = 'january, february, march, april, may, june, july, august, september, october, november, december';

const daysAheadByWord = numbered(DAYS_AHEAD);
const weekdayByWord = numbered(WEEKDAYS.map((weekday) => WEEKDAY_WORDS[weekday]));
const monthByWord = numbered(MONTHS.split(', ').map((month) => `${month}, ${month.slice(0, 3)}, ${month.slice(0, 4)}`));

/** Days from today to the day of a word like `tomorrow`; null for any other word. */
export function daysAhead(word: string): number | null {
  return daysAheadByWord.get(foldName(word)) ?? null;
}

/** 0 (Sunday) to 6 for a weekday; null for any other word. */
export function weekdayNumber(word: string): number | null {
  return weekdayByWord.get(foldName(word)) ?? null;
}

/** 1 (January) to 12 for an English month or its first three or four letters; null for any other word. */
export function monthNumber(word: string): number | null {
  const index = monthByWord.get(foldName(word));
  return index === undefined ? null : index + 1;
}

/** Maps each word to the index of its list. */
function numbered(lists: readonly string[]): ReadonlyMap<string, number> {
  return new Map(lists.flatMap((words, index) => words.split(', ').map((word) => [foldName(word), index] as const)));
}
