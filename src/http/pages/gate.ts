import { html } from '../../vouchers/html.ts';
import { FOR_EVER, type KeptAnswer, keptAnswer } from '../kept-answer.ts';

/** The gate's page, and its files by name. They are below `/gate`, because its service worker serves only what is there. */
export type GatePages = { readonly page: KeptAnswer; readonly files: ReadonlyMap<string, KeptAnswer> };

export const WORKER = 'worker.js';
export const MANIFEST = 'manifest.webmanifest';
/** Pixels; of icons on home screens. iOS takes the first. */
const ICON_SIZES = [192, 512];
/** The drawing and its pictures, the smallest first. */
const ICONS: readonly (readonly [name: string, type: string])[] = [
  ['icon.svg', 'image/svg+xml'],
  ...ICON_SIZES.map((size) => [`icon-${size}.png`, 'image/png'] as const),
];
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
  const named = async (name: string, content: string | Uint8Array, type: string): Promise<string> => {
    const file = await kept(content, type);
    const address = name.replace('.', `.${file.hash.slice(0, 12)}.`);
    files.set(address, file);
    return addressOf(address);
  };
  const bundled = await bundle([
    `${sources}/gate/main.tsx`,
    `${sources}/gate/decoder.ts`,
    `${sources}/gate/styles.css`,
  ]);
  const links: Record<string, string> = {};
  for (const output of bundled) {
    const name = output.path.replace(/^.*\//, '');
    links[name] = await named(name, await output.text(), output.type);
  }
  const reader = Bun.resolveSync('zxing-wasm/reader/zxing_reader.wasm', import.meta.dir);
  const wasm = await named('reader.wasm', await Bun.file(reader).bytes(), 'application/wasm');
  const icons: string[] = [];
  // iOS and stores need pictures beside the drawing; a test holds them against it.
  for (const [name, type] of ICONS)
    icons.push(await named(name, await Bun.file(`${sources}/gate/${name}`).bytes(), type));
  const manifest = await kept(manifestOf(icons), 'application/manifest+json');
  files.set(MANIFEST, { ...manifest, headers: { ...manifest.headers, 'cache-control': 'no-cache' } });
  const { 'main.js': script = '', 'styles.css': style = '', 'decoder.js': decoder = '' } = links;
  const page = await keptAnswer(pageOf({ script, style, decoder, wasm, icons }), PAGE_HEADERS);
  const integrity = Object.fromEntries(
    [['/gate', page] as const, ...[...files].map(([name, file]) => [addressOf(name), file] as const)].map(
      ([address, { body }]) => [address, integrityOf(body)],
    ),
  );
  const version = (await keptAnswer(JSON.stringify(integrity), {})).hash.slice(0, 12);
  const [worker] = await bundle([`${sources}/gate/service-worker.ts`], {
    SHELL: JSON.stringify({ version, files: integrity }),
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
  return { page, files };
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
    naming: '[name].[ext]',
    define: { 'process.env.NODE_ENV': '"production"', ...define },
  });
  return outputs;
}

/** As browsers write it. */
function integrityOf(body: Uint8Array): string {
  return `sha256-${new Bun.CryptoHasher('sha256').update(body).digest('base64')}`;
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
      { src: drawing, sizes: 'any', type: 'image/svg+xml' },
      ...pictures.map((name, index) => {
        const size = ICON_SIZES[index] ?? 0;
        return { src: name, sizes: `${size}x${size}`, type: 'image/png', purpose: 'any maskable' };
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
