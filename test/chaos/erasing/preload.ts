import { plugin } from 'bun';

/**
 * Loaded before the program (`--preload`): it kills its process by SIGKILL after the step of an erasure that `DIES_AFTER`
 * names, whose effect is durable then.
 */
const MORTAL = new URL('./mortal.ts', import.meta.url).pathname;
const OPENINGS = [
  { file: /src\/app\/embedded-stores\.ts$/, opens: 'openEventStore(paths.events, options)', as: 'mortalStore' },
  { file: /src\/app\/embedded-engines\.ts$/, opens: 'openErasureLedger(path)', as: 'mortalLedger' },
];

plugin({
  name: 'stores that die in an erasure',
  setup(build) {
    for (const { file, opens, as } of OPENINGS)
      build.onLoad({ filter: file }, async ({ path }) => {
        const source = await Bun.file(path).text();
        if (!source.includes(opens)) throw new Error(`${path} does not call ${opens}`);
        const mortal = source.replace(opens, `${as}(${opens})`);
        return { loader: 'ts', contents: `import { ${as} } from ${JSON.stringify(MORTAL)};\n${mortal}` };
      });
  },
});
