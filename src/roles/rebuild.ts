import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECTIONS } from '../../projections/index.ts';
import { openProjector, outcomeOf } from '../../projections/projector.ts';
import { DataDirectoryInUse } from '../adapters/sqlite/data-directory.ts';
import { systemLog } from '../adapters/system/log.ts';
import type { Config } from '../config.ts';
import type { RebuildOutcome } from '../domain/rebuild/rebuild.ts';
import type { ProjectionStatus } from '../http/context.ts';
import { kept, serviceUrl } from './running-service.ts';
import { openStores } from './stores.ts';

const POLL_MS = 500;

/** `events` is null where a node other than the one that answers counts them. */
type Progress = NonNullable<ProjectionStatus['rebuild']>;

/** What the service's list of projections says of one. */
type Shown = {
  readonly name: string;
  readonly rebuild: Progress | null;
  readonly last_rebuild: RebuildOutcome | null;
};

/** `waymark rebuild <name>`: by the running service where there is one, else by this process. */
export async function rebuildCommand(args: readonly string[], config: Config): Promise<number> {
  const [name] = args;
  const names = PROJECTIONS.map((projection) => projection.name);
  if (name === undefined || !names.includes(name)) {
    process.stderr.write(`waymark rebuild: name one projection of ${names.join(', ')}\n`);
    return 2;
  }
  // The engines are many nodes' own: one of them does it.
  if (config.eventStore !== null) return rebuildByService(name, config);
  if (!existsSync(join(config.dataDirectory, 'events.db'))) {
    process.stderr.write(
      `waymark rebuild: there are no events in ${config.dataDirectory}; set DATA_DIR to the service's data directory\n`,
    );
    return 2;
  }
  try {
    return await rebuildHere(name, config);
  } catch (fault) {
    if (!(fault instanceof DataDirectoryInUse)) throw fault;
    return rebuildByService(name, config);
  }
}

async function rebuildHere(name: string, config: Config): Promise<number> {
  const stores = openStores(config);
  try {
    const projections = PROJECTIONS.filter((projection) => projection.name === name);
    const projector = await openProjector(projections, { ...stores, log: systemLog('error') });
    const report = await projector.rebuild(name, show);
    await projector.stop();
    return told(name, outcomeOf(report));
  } finally {
    await stores.close();
  }
}

async function rebuildByService(name: string, config: Config): Promise<number> {
  const url = serviceUrl(config);
  if (url === null) {
    process.stderr.write('waymark rebuild: set WAYMARK_URL to the address of the service\n');
    return 2;
  }
  const token = config.adminToken ?? kept(config, 'admin-token') ?? '';
  const headers = { authorization: `Bearer ${token}` };
  const started = await fetch(`${url}/api/ops/projections/${name}/rebuild`, { method: 'POST', headers });
  if (!started.ok) {
    process.stderr.write(
      `waymark rebuild: the service at ${url} answered ${started.status}: ${await started.text()}\n`,
    );
    return 1;
  }
  for (;;) {
    const answer = await fetch(`${url}/api/ops/projections`, { headers });
    // The service's own answer.
    const { data } = (await answer.json()) as { data: { items: Shown[] } };
    const status = data.items.find((projection) => projection.name === name);
    if (status?.rebuild === null || status === undefined) return told(name, status?.last_rebuild ?? null);
    show(status.rebuild);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** @returns the process's exit code */
function told(name: string, outcome: RebuildOutcome | null): number {
  if (outcome?.kind === 'rebuilt') {
    const { collection, events, differences } = outcome;
    process.stdout.write(
      `\n${name}: ${events} events folded into ${collection}; ${differences} documents differed from the old build\n`,
    );
    return 0;
  }
  process.stderr.write(`\nwaymark rebuild: ${outcome?.message ?? 'the service does not say what came of it'}\n`);
  return 1;
}

/** One line that is written over in a terminal, a line each elsewhere. */
function show({ events, position, head }: Progress): void {
  const line = `${events === null ? '' : `${events} events, `}at ${position || 'the start'} of ${head}`;
  process.stdout.write(process.stdout.isTTY ? `\r${line}` : `${line}\n`);
}
