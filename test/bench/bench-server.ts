import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Request } from './load.ts';

export type BenchServer = {
  readonly pid: number;
  readonly port: number;
  /** An enterprise key: the other plans allow fewer requests than a measurement sends. */
  readonly key: string;
  readonly adminToken: string;
  stop(): Promise<void>;
};

/** Inputs of a measurement that starts its own server. */
export type Measurement = {
  readonly settings: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly rounds: number;
  /** A directory for a CPU profile of the server; undefined for none. */
  readonly profileTo: string | undefined;
  /** Makes booking requests of a key. */
  readonly next: (key: string) => () => Request;
  readonly progress: (line: string) => void;
  /** Cancels the measurement. */
  readonly signal: AbortSignal;
};

/** Starts the service with the baselines in another process. `profileTo` is a directory for a CPU profile. */
export async function startBenchServer(
  settings: Readonly<Record<string, string>>,
  profileTo?: string,
): Promise<BenchServer> {
  const profiled = profileTo === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profileTo];
  const server = Bun.spawn([process.execPath, ...profiled, join(import.meta.dir, 'server.ts')], {
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
  const address = await firstLine(server.stdout);
  return {
    pid: server.pid,
    ...address,
    async stop() {
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

async function firstLine(
  output: ReadableStream<Uint8Array>,
): Promise<Pick<BenchServer, 'port' | 'key' | 'adminToken'>> {
  let text = '';
  for await (const chunk of output) {
    text += new TextDecoder().decode(chunk);
    const line = text.split('\n').find((candidate) => candidate.startsWith('{"port"'));
    // `server.ts` prints this line.
    if (line !== undefined) return JSON.parse(line) as Pick<BenchServer, 'port' | 'key' | 'adminToken'>;
  }
  throw new Error(`the bench server did not start: ${text}`);
}
