import { plugin } from 'bun';

/**
 * Preloaded into a node, makes it one of the next release: two projections (one of lists, one in memory) have a higher
 * version and other documents, and one event has a new version.
 */
const VENUES = /src\/domain\/venue\/venue\.ts$/;
const CHANGED = /projections\/(bookings|inventory)\/projection\.ts$/;

plugin({
  name: 'the next release',
  setup(build) {
    build.onLoad({ filter: CHANGED }, async ({ path }) => {
      const source = await Bun.file(path).text();
      const older = source.replace(/^export const (\w+Projection)\b/m, 'const $1');
      const name = /^const (\w+Projection)\b/m.exec(older)?.[1];
      if (name === undefined) throw new Error(`${path} exports no projection`);
      return { loader: 'ts', contents: `${older}\n${newer(name)}` };
    });
    build.onLoad({ filter: VENUES }, async ({ path }) => {
      const source = await Bun.file(path).text();
      const contents = source.replace('DeviceRemoved: []', 'DeviceRemoved: [(facts) => facts]');
      if (contents === source) throw new Error(`${path} has no codec of DeviceRemoved.v1`);
      return { loader: 'ts', contents };
    });
  },
});

function newer(name: string): string {
  return `
const newer = {
  ...${name},
  version: ${name}.version + 1,
  evolve(doc, event, key) {
    const after = ${name}.evolve(doc, event, key);
    return after === null ? null : { ...after, release: 'next' };
  },
};
export { newer as ${name} };
`;
}
