import { html, type Markup } from './html.ts';
import { GUEST_TEXTS } from './page-guest-texts.ts';
import { PAGE_TEXTS } from './page-texts.ts';
import type { VoucherView } from './page-view.ts';

/** The codes that staff can type: a valid voucher's short code, and the code of every voucher. */
export function codeSection({ state, code, shortCode, language }: VoucherView): Markup {
  const texts = PAGE_TEXTS[language];
  const whole = html`<h2>${texts.code}</h2><p translate="no">${codeGroups(code)}</p>`;
  if (state.kind !== 'valid') return html`<section class="code">${whole}</section>`;
  const short =
    shortCode === null
      ? []
      : html`<h2>${GUEST_TEXTS[language].shortCode}</h2><p class="short" translate="no">${shortGroups(shortCode)}</p>`;
  return html`<section class="code">${short}${whole}<small>${texts.typeCode}</small></section>`;
}

/** Two groups of five. */
function shortGroups(shortCode: string): readonly Markup[] {
  return [shortCode.slice(0, 5), shortCode.slice(5)].map((group) => html`<span>${group}</span>`);
}

/** Groups of five or six characters, for reading aloud. The gaps are CSS margins, so that copying gives the plain code. */
function codeGroups(code: string): readonly Markup[] {
  return code.split('-').flatMap((part, i, parts) => {
    const count = Math.ceil(part.length / 6);
    const groups = Array.from({ length: count }, (_, group) =>
      part.slice(Math.ceil((part.length * group) / count), Math.ceil((part.length * (group + 1)) / count)),
    );
    return groups.map((group, at) => {
      const endsPart = at === count - 1 && i < parts.length - 1;
      return endsPart ? html`<span class="dash">${group}-</span>` : html`<span>${group}</span>`;
    });
  });
}
