import { join } from 'node:path';
import { html, type Markup } from '../../vouchers/html.ts';
import { FOR_EVER, type KeptAnswer, keptAnswer } from '../kept-answer.ts';
import { landing } from './landing.ts';

/** The pages of the service, and their files by name. A name changes with the content of the file. */
export type Pages = {
  readonly landing: KeptAnswer;
  readonly dashboard: KeptAnswer;
  readonly files: ReadonlyMap<string, KeptAnswer>;
};

/** The folder of the pages' sources. */
export const PAGE_SOURCES = join(import.meta.dir, '../../pages');

/** Pages load only from this service and send only to it, and no other page frames them. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Pictures of activities are at addresses of their venues.
  "img-src 'self' data: https:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
};

/**
 * Bundles the pages from their sources: some 200 ms in other threads of the runtime.
 *
 * @throws AggregateError if a source cannot be bundled
 */
export async function pages(): Promise<Pages> {
  const { outputs } = await Bun.build({
    entrypoints: [`${PAGE_SOURCES}/dashboard/main.tsx`, `${PAGE_SOURCES}/dashboard/styles.css`],
    target: 'browser',
    minify: true,
    naming: '[name].[hash].[ext]',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const files = new Map<string, KeptAnswer>();
  const links: Links = { scripts: [], styles: [], icon: '' };
  for (const output of outputs) {
    const name = output.path.replace(/^.*\//, '');
    files.set(name, await keptAnswer(await output.text(), { 'content-type': output.type, 'cache-control': FOR_EVER }));
    (name.endsWith('.css') ? links.styles : links.scripts).push(`/assets/${name}`);
  }
  const icon = await keptAnswer(await Bun.file(`${PAGE_SOURCES}/icon.svg`).bytes(), {
    'content-type': 'image/svg+xml',
    'cache-control': FOR_EVER,
  });
  const iconName = `icon.${icon.hash.slice(0, 12)}.svg`;
  files.set(iconName, icon);
  links.icon = `/assets/${iconName}`;
  return {
    landing: await keptAnswer(pageOf('Waymark', { ...links, scripts: [] }, landing()), PAGE_HEADERS),
    dashboard: await keptAnswer(pageOf('Waymark dashboard', links, DASHBOARD), PAGE_HEADERS),
    files,
  };
}

type Links = { readonly scripts: string[]; readonly styles: string[]; icon: string };

/** The text stays if a file is gone: another release of a cluster has sent the page. */
const DASHBOARD = html`<div id="dashboard"><p>Loading. If this text stays, load the page again.</p></div>
<noscript>The dashboard needs JavaScript.</noscript>`;

function pageOf(title: string, { scripts, styles, icon }: Links, body: Markup): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${icon}" type="image/svg+xml">
${styles.map(
  (href) => html`<link rel="stylesheet" href="${href}">
`,
)}${scripts.map(
  (src) => html`<script type="module" src="${src}"></script>
`,
)}</head>
<body>
${body}
</body>
</html>
`.toString();
}
