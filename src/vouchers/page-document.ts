import type { Language } from '../domain/activity/vocabulary.ts';
import { html, type Markup, markup } from './html.ts';

type PageDocument = {
  readonly language: Language;
  readonly title: string;
  /** CSS. */
  readonly style: string;
  /** The end of the head. */
  readonly head?: Markup;
  readonly main: Markup;
};

/** An HTML page for one person. Its address is a secret, so that no search engine and no Referer header may keep it. */
export function pageDocument({ language, title, style, head, main }: PageDocument): string {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${title} · Waymark</title>
<style>${markup(style)}</style>
${head ?? []}</head>
<body>
<main>
${main}
</main>
</body>
</html>
`.toString();
}
