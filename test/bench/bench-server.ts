import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Counters } from './counters.ts';
import type { Request } from './load.ts';

/** The engine pairs that a node runs on. */
export const ENGINES = ['embedded', 'shared'] as const;
export type EnginesName = (typeof ENGINES)[number];

export function isEnginesName(name: string): name is EnginesName {
  return ENGINES.some((known) => known === name);
}

/** What the server prints when it listens. */
type Address = {
  readonly port: number;
  /** An enterprise key: the other plans allow fewer requests than a measurement sends. */
  readonly key: string;
  readonly adminToken: string;
};

/** The service in a process of its own. Its end stops it. */
export type BenchServer = Address &
  AsyncDisposable & {
    readonly pid: number;
    /** Of the mails. */
    readonly outbox: string;
    /** Its CPU time, memory and calls since its start. */
    counters(): Promise<Counters>;
  };

/** An empty log with empty read models and a data directory of its own. Its end removes the database. */
export type Installation = AsyncDisposable & {
  readonly engines: EnginesName;
  readonly dataDirectory: string;
  /**
   * Runs a program of the checkout (its path and arguments) with the installation's settings, while no server runs.
   * @returns its output; its messages are reported. @throws if it fails
   */
  run(program: readonly string[], report: (line: string) => void): Promise<string>;
  /** Starts a server on it, at most one at a time. */
  start(settings?: Readonly<Record<string, string>>): Promise<BenchServer>;
};

/** Inputs of a measurement. */
export type Measurement = {
  /** Makes a new installation on the engines that are measured. */
  readonly install: (settings?: Readonly<Record<string, string>>) => Promise<Installation>;
  readonly connections: number;
  readonly rounds: number;
  /** Duration of a load. */
  readonly milliseconds: number;
  /** Bookings per second that leave the engines enough time: for latencies. */
  readonly moderatePerSecond: number;
  /** Makes booking requests of a key. */
  readonly next: (key: string) => () => Request;
  readonly progress: (line: string) => void;
  /** Cancels the measurement. */
  readonly signal: AbortSignal;
};

/**
 * Starts the service of a checkout with the routes of the baselines.
 * @param root the checkout
 * @param profileTo a directory for a CPU profile
 */
export async function startBenchServer(
  root: string,
  settings: Readonly<Record<string, string>> & { readonly DATA_DIR: string },
  profileTo?: string,
): Promise<BenchServer> {
  const profiled = profileTo === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profileTo];
  const preload = join(import.meta.dir, 'counters.ts');
  const program = join(root, 'test', 'bench', 'server.ts');
  const server = Bun.spawn([process.execPath, ...profiled, '--preload', preload, program], {
    cwd: root,
    env: {
      ...process.env,
      OPEN_METEO_URL: 'off',
      FLASH_DEALS: 'off',
      LOG_LEVEL: 'warn',
      MAIL_WAIT_MS: '0',
      ...settings,
    },
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const { counters, ...address } = await addressesOf(server.stdout);
  return {
    pid: server.pid,
    ...address,
    outbox: join(settings.DATA_DIR, 'outbox'),
    async counters() {
      const answer = await fetch(`http://127.0.0.1:${counters}`);
      // The answer of `counters.ts`.
      return (await answer.json()) as Counters;
    },
    async [Symbol.asyncDispose]() {
      server.kill('SIGTERM');
      await server.exited;
    },
  };
}

/** Processor time that all threads of a process have used; 0 without `/proc`. */
export function cpuMs(pid: number): number {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return 0;
  const fields = readFileSync(path, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const ticks = Number(fields[11]) + Number(fields[12]);
  return ticks * 10;
}

/** What `counters.ts` and `server.ts` print, each in one line. */
async function addressesOf(output: ReadableStream<Uint8Array>): Promise<Address & { readonly counters: number }> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of output) {
    text += decoder.decode(chunk, { stream: true });
    const [counters, address] = ['{"counters"', '{"port"'].map((begin) =>
      text
        .split('\n')
        .slice(0, -1)
        .find((line) => line.startsWith(begin)),
    );
    if (counters !== undefined && address !== undefined) return { ...JSON.parse(counters), ...JSON.parse(address) };
  }
  throw new Error(`the bench server did not start: ${text}`);
}
