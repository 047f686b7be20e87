import { plugin } from 'bun';

/** Preloaded into a node, lets a request stop the node (SIGSTOP) before or after one of its appends. */
const ENGINES = /src\/app\/shared-engines\.ts$/;
const CONNECTS = 'connectEventStore(eventStore, settings)';
const STOPPING = new URL('./stopping-store.ts', import.meta.url).pathname;

plugin({
  name: 'a node that can be stopped',
  setup(build) {
    build.onLoad({ filter: ENGINES }, async ({ path }) => {
      const source = await Bun.file(path).text();
      if (!source.includes(CONNECTS)) throw new Error(`${path} connects to no event store`);
      const stopping = source.replace(CONNECTS, `stopping(${CONNECTS})`);
      return { loader: 'ts', contents: `import { stopping } from ${JSON.stringify(STOPPING)};\n${stopping}` };
    });
  },
});
