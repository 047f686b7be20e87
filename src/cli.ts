import { parseArgs } from 'node:util';
import packageJson from '../package.json' with { type: 'json' };
import { PROJECTIONS } from '../projections/index.ts';
import { type Config, readConfig } from './config.ts';
import { journeyCommand } from './roles/journey.ts';
import { mcpCommand } from './roles/mcp.ts';
import { rebuildCommand } from './roles/rebuild.ts';
import { serve } from './roles/serve.ts';

const HELP = `Waymark ${packageJson.version}

  waymark serve            run the service (the default); [--roles api,projector,deliverer] where several nodes share
                           EventStoreDB and MongoDB (default: all)
  waymark rebuild <name>   rebuild a projection from the events, where the service runs while it goes on answering;
                           <name> is one of ${PROJECTIONS.map(({ name }) => name).join(' ')}
  waymark migrate up       make the collections and indexes that this version needs in the database of MONGODB_URL;
                           "migrate status" lists them, and ends with code 1 where one is pending
  waymark mcp              the tools of a running service for an MCP client, on standard input and output; needs
                           WAYMARK_API_KEY, and WAYMARK_URL where DATA_DIR does not tell the address
  waymark journey          play the whole journey against the running service, from the recommendation to the visit,
                           and compare it with what is promised; [--url URL] [--data DIR] [--json]
  waymark version
  waymark help

Settings come from the environment; the README lists them.
`;

/** @returns the process's exit code; for `serve` once the service has stopped */
export async function run(args: readonly string[]): Promise<number> {
  const [command = 'serve', ...rest] = args;
  switch (command) {
    case 'serve':
      return serveCommand(rest);
    case 'rebuild':
      return rebuildCommand(rest, readConfig(process.env, 'command'));
    case 'migrate': {
      // Only here, so that no other command waits for the driver to be loaded.
      const { migrateCommand } = await import('./roles/migrate.ts');
      return migrateCommand(rest, readConfig(process.env, 'command'));
    }
    case 'mcp':
      return mcpCommand(readConfig(process.env, 'command'));
    case 'journey':
      return journeyCommand(rest, readConfig(process.env, 'command'));
    case 'version':
    case '--version':
      process.stdout.write(`${packageJson.version}\n`);
      return 0;
    case 'help':
    case '--help':
      process.stdout.write(HELP);
      return 0;
    default:
      process.stderr.write(`waymark: there is no command "${command}"\n\n${HELP}`);
      return 2;
  }
}

async function serveCommand(args: readonly string[]): Promise<number> {
  const roles = rolesGiven(args);
  if (roles === undefined) {
    process.stderr.write('waymark serve: the option is --roles, with a list of api, projector, deliverer\n');
    return 2;
  }
  return runService(readConfig(roles === null ? process.env : { ...process.env, WAYMARK_ROLES: roles }));
}

/** Null where none are given, undefined where something else is. */
function rolesGiven(args: readonly string[]): string | null | undefined {
  try {
    return parseArgs({ args: [...args], options: { roles: { type: 'string' } } }).values.roles ?? null;
  } catch {
    return undefined;
  }
}

async function runService(config: Config): Promise<number> {
  // Asked twice (npm passes on what its whole group was told) is asked once: what is under way is still answered.
  const asked = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => asked.abort());
  const serving = await serve(config, asked.signal);
  await aborted(asked.signal);
  await serving?.stop();
  return 0;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
