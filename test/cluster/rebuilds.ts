import { ADMIN, call, until } from './client.ts';
import type { ClusterNode } from './cluster.ts';

const SETTLED_MS = 60_000;

type Status = {
  readonly name: string;
  readonly rebuild: object | null;
  readonly last_rebuild: { readonly differences?: number } | null;
};

/** Rebuilds every read model. @returns a message for each that differs from its rebuild, or whose rebuild did not end */
export async function rebuildFaults(api: Pick<ClusterNode, 'url'> | undefined): Promise<readonly string[]> {
  if (api === undefined) return ['there is no API node'];
  for (const { name } of await statusesOf(api))
    await until(`the rebuild of ${name} starts`, SETTLED_MS, async () => {
      const { status } = await call(api, `/api/ops/projections/${name}/rebuild`, { headers: ADMIN, body: {} });
      return status === 200;
    });
  let open: readonly Status[] = [];
  try {
    await until('every rebuild has ended', SETTLED_MS, async () => {
      open = (await statusesOf(api)).filter(({ rebuild, last_rebuild: last }) => rebuild !== null || last === null);
      return open.length === 0;
    });
  } catch {
    return open.map((status) => `a rebuild did not end: ${JSON.stringify(status)}`);
  }
  const differing = (await statusesOf(api)).filter(({ last_rebuild: last }) => last?.differences !== 0);
  return differing.map(({ name, last_rebuild: last }) => `${name} differs from a rebuild: ${JSON.stringify(last)}`);
}

/** Retries, since a node may still report an engine as unavailable that has just come back. */
async function statusesOf(api: Pick<ClusterNode, 'url'>): Promise<readonly Status[]> {
  let items: readonly Status[] = [];
  await until('the projections are listed', SETTLED_MS, async () => {
    const { status, data } = await call<{ items: readonly Status[] }>(api, '/api/ops/projections', { headers: ADMIN });
    if (status === 200) items = data.items;
    return status === 200;
  });
  return items;
}
