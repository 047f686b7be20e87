import { settings } from './state.ts';
import { TEXTS } from './texts/all.ts';
import type { GateTexts } from './texts/table.ts';

/** The texts in the language of this phone. */
export function texts(): GateTexts {
  return TEXTS[settings.value.language];
}
