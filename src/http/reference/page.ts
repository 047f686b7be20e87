import { html, type Markup } from '../../vouchers/html.ts';
import { FOR_EVER, type KeptAnswer, keptAnswer } from '../kept-answer.ts';

/** The HTML page of the API reference, and its files by the names that it uses. */
export type ReferencePage = { readonly page: KeptAnswer; readonly files: ReadonlyMap<string, KeptAnswer> };

/** The page may only load from this service, send to it, and not be framed. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

/**
 * A browser sends requests to the origin of the page; the servers of the document are for other clients. Swagger UI does
 * not show the permissions of an API key, so the script adds the callers to each description.
 */
const SCRIPT = `'use strict';
const named = { ApiKey: 'permission', OperatorToken: 'role' };
const caller = ([scheme, names]) => scheme + (names.length > 0 ? ' with the ' + named[scheme] + ' ' + names.join() : '');
const callers = (security) => security.flatMap(Object.entries).map(caller).join(', or ') || 'anybody';
const links = [...document.querySelectorAll('nav a')];
const shown = links.find(({ href }) => new URL(href).search === location.search) ?? links[0];
shown.setAttribute('aria-current', 'page');
(async () => {
  const answer = await fetch(shown.dataset.document);
  const spec = await answer.json();
  for (const operation of Object.values(spec.paths).flatMap(Object.values))
    operation.description += '\\n\\nCallers: ' + callers(operation.security) + '.';
  SwaggerUIBundle({
    spec: { ...spec, servers: [{ url: location.origin }] },
    dom_id: '#reference',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    defaultModelExpandDepth: 3,
    displayRequestDuration: true,
    validatorUrl: null,
  });
})();
`;

const STYLE = `:root { color-scheme: light; }
body { margin: 0; background: #fff; }
nav { display: flex; flex-wrap: wrap; gap: 0 1.5rem; max-width: 1420px; margin: 0 auto; padding: 0.5rem 20px 0; font: 1rem/1.5 system-ui, sans-serif; }
nav a { padding: 0.6rem 0; color: #0b57a4; }
nav a[aria-current] { color: #1b1b1b; font-weight: 600; text-decoration: none; border-bottom: 3px solid #0b57a4; }
noscript, #reference > p { display: block; max-width: 60ch; margin: 3rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
.swagger-ui .highlight-code > pre { max-height: 22rem; }
.swagger-ui .highlight-code > pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.swagger-ui .responses-table { table-layout: fixed; }
.swagger-ui .responses-header .response-col_status { width: 4rem; }
.swagger-ui .response-col_links { display: none; }
.swagger-ui .info { margin: 2rem 0; }
.swagger-ui .scheme-container { box-shadow: none; border-block: 1px solid #e3e3e3; padding: 1rem 0; }
`;

/** Reads the page's files from their package, at the first request. */
export async function referencePage(): Promise<ReferencePage> {
  const files = new Map<string, KeptAnswer>();
  const add = async (name: string, content: string | Uint8Array, type: string): Promise<string> => {
    const file = await keptAnswer(content, { 'content-type': type, 'cache-control': FOR_EVER });
    const hashed = name.replace(/\.(\w+)$/, `.${file.hash.slice(0, 12)}.$1`);
    files.set(hashed, file);
    return `/docs/${hashed}`;
  };
  const links = {
    styles: [
      await add('swagger-ui.css', await packaged('swagger-ui.css'), CSS),
      await add('reference.css', STYLE, CSS),
    ],
    scripts: [
      await add('swagger-ui.js', await packaged('swagger-ui-bundle.js'), JAVASCRIPT),
      await add('reference.js', SCRIPT, JAVASCRIPT),
    ],
    icon: await add('icon.png', await packaged('favicon-32x32.png'), 'image/png'),
  };
  const page = await keptAnswer(pageOf(links).toString(), {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': POLICY,
    'referrer-policy': 'no-referrer',
  });
  return { page, files };
}

type Links = { readonly styles: readonly string[]; readonly scripts: readonly string[]; readonly icon: string };

function pageOf({ styles, scripts, icon }: Links): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Waymark: API reference</title>
<link rel="icon" href="${icon}">
${styles.map(
  (href) => html`<link rel="stylesheet" href="${href}">
`,
)}</head>
<body>
<nav aria-label="Documents">
<a href="/docs" data-document="/openapi.json">Agents, key owners and gates</a>
<a href="/docs?for=operators" data-document="/openapi-operators.json">Operators and the dashboard</a>
</nav>
<main id="reference"><p>Loading the reference. Also available: the documents <a href="/openapi.json">openapi.json</a> and <a href="/openapi-operators.json">openapi-operators.json</a>, and the short guide <a href="/llms.txt">llms.txt</a>.</p></main>
<noscript>This page needs JavaScript.</noscript>
${scripts.map(
  (src) => html`<script src="${src}" defer></script>
`,
)}</body>
</html>
`;
}

function packaged(file: string): Promise<Uint8Array> {
  return Bun.file(Bun.resolveSync(`swagger-ui-dist/${file}`, import.meta.dir)).bytes();
}
