import { html } from '../../vouchers/html.ts';
import { FOR_EVER, type KeptAnswer, keptAnswer } from '../kept-answer.ts';

/** The gate's page, and its files by name. They are below `/gate`, because its service worker serves only what is there. */
export type GatePages = { readonly page: KeptAnswer; readonly files: ReadonlyMap<string, KeptAnswer> };

export const WORKER = 'worker.js';
export const MANIFEST = 'manifest.webmanifest';
/** Pixels; of icons on home screens. iOS takes the first. */
const ICON_SIZES = [192, 512];
const THEME = '#0b4f4a';

/** The camera, and the WebAssembly that reads its picture; nothing from elsewhere. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "media-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const PROTECTED = { 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer' };
const PAGE_HEADERS = {
  ...PROTECTED,
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'permissions-policy': 'camera=(self), microphone=(), geolocation=()',
};

/**
 * Bundles the gate from its sources.
 *
 * @param sources the folder of the pages
 * @throws AggregateError if a source cannot be bundled
 */
export async function gatePages(sources: string): Promise<GatePages> {
  const files = new Map<string, KeptAnswer>();
  const bundled = await bundle([
    `${sources}/gate/main.tsx`,
    `${sources}/gate/decoder.ts`,
    `${sources}/gate/styles.css`,
  ]);
  const names: Record<string, string> = {};
  for (const output of bundled) {
    const name = output.path.replace(/^.*\//, '');
    names[name.replace(/\..*\./, '.')] = name;
    files.set(name, await kept(await output.text(), output.type));
  }
  const wasm = await kept(
    await Bun.file(Bun.resolveSync('zxing-wasm/reader/zxing_reader.wasm', import.meta.dir)).bytes(),
    'application/wasm',
  );
  const wasmName = `reader.${wasm.hash.slice(0, 12)}.wasm`;
  files.set(wasmName, wasm);
  const icons = await addIcons(sources, files);
  const manifest = await kept(manifestOf(icons), 'application/manifest+json');
  const shell = [...files.keys(), MANIFEST].map(addressOf);
  files.set(MANIFEST, { ...manifest, headers: { ...manifest.headers, 'cache-control': 'no-cache' } });
  const page = pageOf({
    script: addressOf(names['main.js'] ?? ''),
    style: addressOf(names['styles.css'] ?? ''),
    decoder: addressOf(names['decoder.js'] ?? ''),
    wasm: addressOf(wasmName),
    icons: icons.map(addressOf),
  });
  const keptPage = await keptAnswer(page, PAGE_HEADERS);
  const version = (await keptAnswer(keptPage.hash + shell.join(' '), {})).hash.slice(0, 12);
  const [worker] = await bundle([`${sources}/gate/service-worker.ts`], {
    SHELL: JSON.stringify({ version, files: shell }),
  });
  if (worker === undefined) throw new Error('the bundler made no service worker');
  const headers = {
    ...PROTECTED,
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'no-cache',
    // The page itself has no slash at the end.
    'service-worker-allowed': '/gate',
  };
  files.set(WORKER, await keptAnswer(await worker.text(), headers));
  return { page: keptPage, files };
}

function addressOf(name: string): string {
  return `/gate/${name}`;
}

/** A worker has the policy of its own file. */
function kept(content: string | Uint8Array, type: string): Promise<KeptAnswer> {
  return keptAnswer(content, { ...PROTECTED, 'content-type': type, 'cache-control': FOR_EVER });
}

async function bundle(entrypoints: string[], define: Record<string, string> = {}) {
  const { outputs } = await Bun.build({
    entrypoints,
    target: 'browser',
    minify: true,
    naming: '[name].[hash].[ext]',
    define: { 'process.env.NODE_ENV': '"production"', ...define },
  });
  return outputs;
}

/**
 * iOS and stores need pictures beside the drawing; a test holds them against it.
 *
 * @returns the names of the drawing and of its pictures, the smallest first
 */
async function addIcons(sources: string, files: Map<string, KeptAnswer>): Promise<readonly string[]> {
  const pictures = ICON_SIZES.map((size) => [`icon-${size}.png`, 'image/png'] as const);
  const names: string[] = [];
  for (const [source, type] of [['icon.svg', 'image/svg+xml'] as const, ...pictures]) {
    const icon = await kept(await Bun.file(`${sources}/gate/${source}`).bytes(), type);
    const name = source.replace('.', `.${icon.hash.slice(0, 12)}.`);
    files.set(name, icon);
    names.push(name);
  }
  return names;
}

function manifestOf([drawing = '', ...pictures]: readonly string[]): string {
  return JSON.stringify({
    name: 'Waymark Gate',
    short_name: 'Gate',
    id: '/gate',
    start_url: '/gate',
    scope: '/gate',
    display: 'standalone',
    orientation: 'any',
    background_color: THEME,
    theme_color: THEME,
    icons: [
      { src: addressOf(drawing), sizes: 'any', type: 'image/svg+xml' },
      ...pictures.map((name, index) => {
        const size = ICON_SIZES[index] ?? 0;
        return { src: addressOf(name), sizes: `${size}x${size}`, type: 'image/png', purpose: 'any maskable' };
      }),
    ],
  });
}

type Links = {
  readonly script: string;
  readonly style: string;
  readonly decoder: string;
  readonly wasm: string;
  readonly icons: readonly string[];
};

function pageOf({ script, style, decoder, wasm, icons: [icon = '', touch = ''] }: Links): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="${THEME}">
<meta name="mobile-web-app-capable" content="yes">
<meta name="apple-mobile-web-app-capable" content="yes">
<meta name="apple-mobile-web-app-title" content="Gate">
<title>Waymark Gate</title>
<link rel="manifest" href="${addressOf(MANIFEST)}">
<link rel="icon" href="${icon}" type="image/svg+xml">
<link rel="apple-touch-icon" href="${touch}">
<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>
</head>
<body>
<div id="gate" data-decoder="${decoder}" data-wasm="${wasm}" data-worker="${addressOf(WORKER)}"><p>Loading. If this text stays, load the page again.</p></div>
<noscript>The gate needs JavaScript.</noscript>
</body>
</html>
`.toString();
}
