import { plugin } from 'bun';

/** Loaded before the program (`--preload`): its event store kills the process during requests. */
const STORES = /src\/app\/embedded-stores\.ts$/;
const OPENS = 'openEventStore(paths.events, options)';
const MORTAL = new URL('./mortal-store.ts', import.meta.url).pathname;

plugin({
  name: 'a mortal event store',
  setup(build) {
    build.onLoad({ filter: STORES }, async ({ path }) => {
      const source = await Bun.file(path).text();
      if (!source.includes(OPENS)) throw new Error(`${path} opens no event store`);
      const mortal = source.replace(OPENS, `mortal(${OPENS})`);
      return { loader: 'ts', contents: `import { mortal } from ${JSON.stringify(MORTAL)};\n${mortal}` };
    });
  },
});
