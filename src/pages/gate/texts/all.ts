import type { Language } from '../../../domain/activity/vocabulary.ts';
import { EN } from './en.ts';
import { ID } from './id.ts';
import { JA } from './ja.ts';
import { KO } from './ko.ts';
import { MS } from './ms.ts';
import type { GateTexts } from './table.ts';
import { TH } from './th.ts';
import { VI } from './vi.ts';
import { ZH } from './zh.ts';

export const TEXTS: Readonly<Record<Language, GateTexts>> = {
  en: EN,
  th: TH,
  vi: VI,
  id: ID,
  ms: MS,
  zh: ZH,
  ja: JA,
  ko: KO,
};
