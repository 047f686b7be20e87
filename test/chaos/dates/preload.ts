import { plugin } from 'bun';

/** Loaded before the program (`--preload`): it kills its process by SIGKILL after the append that `DIES_AFTER` names. */
const MORTAL = new URL('./mortal.ts', import.meta.url).pathname;
const OPENS = 'openEventStore(paths.events, options)';

plugin({
  name: 'an event store that dies while a date is cancelled',
  setup(build) {
    build.onLoad({ filter: /src\/app\/embedded-stores\.ts$/ }, async ({ path }) => {
      const source = await Bun.file(path).text();
      if (!source.includes(OPENS)) throw new Error(`${path} does not call ${OPENS}`);
      const mortal = source.replace(OPENS, `mortalStore(${OPENS})`);
      return { loader: 'ts', contents: `import { mortalStore } from ${JSON.stringify(MORTAL)};\n${mortal}` };
    });
  },
});
