import type { Language } from '../domain/activity/vocabulary.ts';
import { html, type Markup } from './html.ts';
import { mailPicture } from './picture-path.ts';
import { bidiIsolated, withoutWordJoiners } from './plain-text.ts';

export type ComposedMail = { readonly subject: string; readonly text: string; readonly html: string };

/** `also`: a second, smaller line. `guests`: a text of the caller, which must not reorder the text around it. */
export type Row = {
  readonly label: string;
  readonly value: string;
  readonly also?: string;
  readonly guests?: boolean;
};

/** A mail without pictures: paragraphs, a table of rows, and at most one link. */
type PlainMail = {
  readonly language: Language;
  /** Separator between a label and its value. */
  readonly colon: string;
  /** A greeting with a line break where the name belongs; null: no greeting. */
  readonly greeting: { readonly around: string; readonly name: string } | null;
  readonly intro: string;
  readonly title: string;
  readonly rows: readonly Row[];
  /** Paragraphs below the rows. */
  readonly after: readonly string[];
  /** URL of a picture; null: none. */
  readonly pictureUrl: string | null;
  readonly link: { readonly label: string; readonly url: string } | null;
  /** Small paragraphs at the end. */
  readonly small: readonly string[];
};

/** The text part. */
export function plainText(mail: PlainMail): string {
  const { greeting, intro, title, rows, after, link, small, colon } = mail;
  const line = ({ label, value, also = '', guests }: Row): string =>
    [`${label}${colon}${guests ? bidiIsolated(value) : value}`, ...(also === '' ? [] : [also])].join('\n');
  const paragraphs = [
    ...(greeting === null ? [] : [greeting.around.replace('\n', () => bidiIsolated(greeting.name))]),
    intro,
    [title, ...rows.map(line)].join('\n'),
    ...after,
    ...(link === null ? [] : [`${link.label}${colon.trimEnd()}\n${link.url}`]),
    ...small,
    'Waymark',
  ];
  return withoutWordJoiners(paragraphs.join('\n\n'));
}

/** The HTML part. It loads nothing but the picture. */
export function plainHtml(mail: PlainMail): string {
  const { language, greeting, intro, title, rows, after, pictureUrl, link, small } = mail;
  const [before = '', behind = ''] = greeting?.around.split('\n') ?? [];
  const hello = greeting === null ? [] : html`<p>${before}<bdi>${greeting.name}</bdi>${behind}</p>`;
  const action =
    link === null
      ? []
      : html`<p><a href="${link.url}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:#0b5a55;color:#fff;font-weight:600;text-decoration:none">${link.label}</a></p>`;
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${title} · Waymark</title>
</head>
<body style="margin:0;padding:16px;background:#fff;color:#14201f;font:16px/1.45 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif">
<div style="max-width:600px;margin:0 auto">
${hello}
<p>${intro}</p>
<h1 style="font-size:22px;line-height:1.25">${title}</h1>
<table role="presentation" style="width:100%;border-collapse:collapse">
${rows.map(tableRow)}
</table>
${after.map((text) => html`<p><strong>${text}</strong></p>\n`)}
${action}
${pictureUrl === null ? [] : mailPicture(pictureUrl)}${small.map((text) => html`<p style="color:#4b5957;font-size:14px">${text}</p>\n`)}
<p style="color:#4b5957;font-size:14px">Waymark</p>
</div>
</body>
</html>
`.toString();
}

export function tableRow({ label, value, also = '', guests }: Row): Markup {
  const shown = guests ? html`<bdi>${value}</bdi>` : html`${value}`;
  const below = also === '' ? [] : html`<br><small style="color:#4b5957">${also}</small>`;
  return html`<tr><td style="padding:6px 12px 6px 0;vertical-align:top;color:#4b5957">${label}</td><td style="padding:6px 0;vertical-align:top;white-space:pre-line;overflow-wrap:anywhere">${shown}${below}</td></tr>
`;
}
