import type { Language } from '../domain/activity/vocabulary.ts';

/** All officially assigned ISO 3166-1 alpha-2 codes. */
const CODES = `
  AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD
  CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF
  GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN
  KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA
  NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI
  SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI
  VN VU WF WS YE YT ZA ZM ZW
`;

export const COUNTRIES: ReadonlySet<string> = new Set(CODES.trim().split(/\s+/));

/** The main language of a country, if Waymark supports it. Other countries get English. */
const MAIN_LANGUAGES: Readonly<Record<string, Language>> = {
  TH: 'th',
  VN: 'vi',
  ID: 'id',
  MY: 'ms',
  BN: 'ms',
  CN: 'zh',
  HK: 'zh',
  MO: 'zh',
  TW: 'zh',
  JP: 'ja',
  KR: 'ko',
  KP: 'ko',
};

/** The upper-case country code, null for an unknown one. Case-insensitive. */
export function parseCountry(text: string): string | null {
  // `toUpperCase` turns some non-ASCII letters into two ASCII letters: ß becomes SS.
  const code = /^[A-Za-z]{2}$/.test(text) ? text.toUpperCase() : '';
  return COUNTRIES.has(code) ? code : null;
}

/** The answer language for a traveller's country; null without a mapping. */
export function languageOfCountry(code: string | null): Language | null {
  return code === null ? null : (MAIN_LANGUAGES[code] ?? null);
}
