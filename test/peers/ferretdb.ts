import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Output } from '../support/process.ts';
import { limitWrites } from '../support/small-disk.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { buildWithGo } from './go-program.ts';

export { BUILD_MS } from './go-program.ts';

/** A server that speaks MongoDB's protocol, a process of its own with data of its own. */
export type FerretDb = AsyncDisposable & {
  /** `mongodb://127.0.0.1:12345/`: the same after a restart. */
  readonly url: string;
  /** SIGKILL: it gets no chance to put anything in order. Resolves when the process is gone. */
  kill(): Promise<void>;
  /** Starts it anew on its data, after a kill. */
  restart(): Promise<void>;
  /** Kills it, removes all that it kept, and starts it with nothing. */
  lose(): Promise<void>;
  /** From now on the system refuses what it writes, as where the disk is full. */
  fill(): Promise<void>;
  empty(): Promise<void>;
  /** Stops its time: it keeps its connections, and answers nothing until it is resumed. */
  pause(): void;
  resume(): void;
};

/** Builds the server. @returns the program's path @throws where there is no Go, or the build fails */
export function buildFerretDb(): Promise<string> {
  return buildWithGo({
    name: 'ferretdb',
    folder: join(import.meta.dir, 'ferretdb'),
    files: ['main.go', 'go.mod', 'go.sum'],
  });
}

/** Starts a server on a free port, with an empty directory. `await using` ends it and removes its data. */
export async function startFerretDb(): Promise<FerretDb> {
  const program = await buildFerretDb();
  const directory = temporaryDirectory();
  let running = await run(program, '127.0.0.1:0', directory.path);
  const { url } = running;
  return {
    url,
    kill: () => running.end(),
    async restart() {
      running = await run(program, url.slice('mongodb://'.length, -1), directory.path);
    },
    async lose() {
      await running.end();
      for (const name of readdirSync(directory.path)) rmSync(directory.file(name), { recursive: true });
      running = await run(program, url.slice('mongodb://'.length, -1), directory.path);
    },
    fill: () => limitWrites(running.pid, '0'),
    empty: () => limitWrites(running.pid, 'unlimited'),
    pause: () => process.kill(running.pid, 'SIGSTOP'),
    resume: () => process.kill(running.pid, 'SIGCONT'),
    async [Symbol.asyncDispose]() {
      await running.end();
      directory.remove();
    },
  };
}

type Running = { readonly url: string; readonly pid: number; end(): Promise<void> };

async function run(program: string, address: string, directory: string): Promise<Running> {
  const child = Bun.spawn([program, address, directory], { stdio: ['pipe', 'pipe', 'pipe'] });
  const [stdout, stderr] = [new Output(child.stdout), new Output(child.stderr)];
  const listening = await stdout.line(/^mongodb:\S+$/);
  if (listening === null) {
    await Promise.all([child.exited, stderr.closed]);
    throw new Error(`FerretDB did not start:\n${stderr.text}`);
  }
  return {
    url: listening[0],
    pid: child.pid,
    async end() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

if (import.meta.main) {
  const startedAt = performance.now();
  await buildFerretDb();
  // oxlint-disable-next-line no-console -- a program that reports to a terminal
  console.log(`FerretDB is built (${Math.round((performance.now() - startedAt) / 1_000)} s)`);
}
