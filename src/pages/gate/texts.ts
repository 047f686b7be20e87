import type { Language } from '../../domain/activity/vocabulary.ts';
import { settings } from './state.ts';
import { EN } from './texts/en.ts';
import { ID } from './texts/id.ts';
import { JA } from './texts/ja.ts';
import { KO } from './texts/ko.ts';
import { MS } from './texts/ms.ts';
import type { GateTexts } from './texts/table.ts';
import { TH } from './texts/th.ts';
import { VI } from './texts/vi.ts';
import { ZH } from './texts/zh.ts';

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

/** The texts in the language of this phone. */
export function texts(): GateTexts {
  return TEXTS[settings.value.language];
}
