import packageJson from '../../package.json' with { type: 'json' };
import { didYouMean } from '../domain/nearest-name.ts';
import { type Command, columns, command, USAGE_ERROR, usageOf } from './command.ts';
import { EVALUATE } from './evaluate.ts';
import { GENERATE } from './generate.ts';
import { JOURNEY } from './journey.ts';
import { LISTEN } from './listen.ts';
import { MCP } from './mcp.ts';
import { MIGRATE } from './migrate.ts';
import { READERS } from './readers.ts';
import { REBUILD } from './rebuild.ts';
import { SERVE } from './serve.ts';

const VERSION = command({
  name: 'version',
  summary: 'Prints the version; `waymark --version` does the same.',
  details: [],
  arguments: [],
  options: {},
  settings: [],
  exitCodes: { 0: 'The version was printed.', 2: 'Invalid arguments.' },
  async run() {
    process.stdout.write(`${packageJson.version}\n`);
    return 0;
  },
});

const HELP = command({
  name: 'help',
  summary: 'Prints the list of commands, or the help of one command; `waymark --help` does the same.',
  details: [],
  arguments: [
    {
      name: 'COMMAND',
      meaning: 'The command to explain.',
      values: [SERVE, REBUILD, READERS, MIGRATE, MCP, LISTEN, JOURNEY, GENERATE, EVALUATE, VERSION].map(
        ({ name }) => name,
      ),
      optional: true,
    },
  ],
  options: {},
  settings: [],
  exitCodes: { 0: 'The help was printed.', 2: 'Invalid arguments.' },
  async run({ arguments: [name] }) {
    const explained = COMMANDS.find((it) => it.name === name);
    if (explained !== undefined) return explained.run(['--help']);
    process.stdout.write(overview());
    return 0;
  },
});

export const COMMANDS: readonly Command[] = [
  SERVE,
  REBUILD,
  READERS,
  MIGRATE,
  MCP,
  LISTEN,
  JOURNEY,
  GENERATE,
  EVALUATE,
  VERSION,
  HELP,
];

const ALIASES: Readonly<Record<string, string>> = { '--version': 'version', '--help': 'help', '-h': 'help' };

/** @returns the exit code of the process; for `serve` when the service has stopped */
export async function run(args: readonly string[]): Promise<number> {
  const [given = SERVE.name, ...rest] = args;
  const name = ALIASES[given] ?? given;
  const chosen = COMMANDS.find((it) => it.name === name);
  if (chosen === undefined) {
    const names = COMMANDS.map((it) => it.name);
    process.stderr.write(`waymark: there is no command "${given}"${didYouMean(given, names)}\n\n${overview()}`);
    return USAGE_ERROR;
  }
  return chosen.run(rest);
}

function overview(): string {
  const rows = COMMANDS.map((it) => [usageOf(it), it.summary] as const);
  return `Waymark ${packageJson.version}
${columns('Commands', rows)}
"waymark COMMAND --help" prints the arguments, options, settings and exit codes of a command.
Settings are environment variables; docs/configuration.md lists them.
`;
}
