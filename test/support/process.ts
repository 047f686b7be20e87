import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './files.ts';

/** Environment variables of the program. From the test's own environment it gets only PATH, HOME and TMPDIR. */
export type Settings = Readonly<Record<string, string>> & { readonly DATA_DIR: string };

/** Defaults for started programs: no requests to the internet, and no behaviour that depends on the hour. */
const OFFLINE = { OPEN_METEO_URL: 'off', FLASH_DEALS: 'off' };

export type Ended = { readonly exitCode: number; readonly stdout: string; readonly stderr: string };

export type Shown = { readonly exitCode: number; readonly shown: string };

/** A running service and its credentials. */
export type Service = AsyncDisposable & {
  readonly program: Program;
  readonly url: string;
  readonly apiKey: string;
  readonly adminToken: string;
  /** Keys of demo gate devices by venue. */
  readonly deviceKeys: Readonly<Record<string, string>>;
};

/** Starts `bun src/main.ts serve` and resolves when it has printed its URL. */
export function startService(settings: Settings): Promise<Service> {
  return ready(startProgram(['serve'], settings), settings);
}

/**
 * Starts a command of Waymark as a process.
 * @param within a command that executes it: `prlimit`, `unshare`
 */
export function startProgram(args: readonly string[], settings: Settings, within: readonly string[] = []): Program {
  const command = [...within, process.execPath, 'src/main.ts', ...args];
  return new Program(command, { ...searchPaths(), ...OFFLINE, ...settings });
}

/** Runs a command of Waymark until it ends. */
export async function runProgram(args: readonly string[], settings: Settings): Promise<Ended> {
  await using program = startProgram(args, settings);
  const exitCode = await program.ended();
  return { exitCode, stdout: program.stdout.text, stderr: program.stderr.text };
}

/**
 * Runs a command of Waymark in a pseudo-terminal until it ends, and types Ctrl-C once it has written a text.
 * @returns the exit code, and all that the terminal showed
 */
export async function interruptInTerminal(args: readonly string[], settings: Settings, at: RegExp): Promise<Shown> {
  const decoder = new TextDecoder();
  let shown = '';
  let typed = false;
  await using child = Bun.spawn([process.execPath, 'src/main.ts', ...args], {
    cwd: ROOT,
    env: { ...searchPaths(), ...OFFLINE, ...settings },
    terminal: {
      cols: 200,
      rows: 24,
      data(terminal, bytes) {
        shown += decoder.decode(bytes, { stream: true });
        if (typed || !at.test(shown)) return;
        typed = true;
        terminal.write('\u0003');
      },
    },
  });
  const exitCode = await child.exited;
  child.terminal?.close();
  return { exitCode, shown };
}

/** `npm start` with the whole environment, as a user runs it, in its own process group. */
export function startWithNpm(settings: Settings): Program {
  return new Program(['npm', 'start'], { ...process.env, ...OFFLINE, ...settings }, true);
}

/**
 * Resolves when a service has printed its URL. By then it has written its secrets to the data directory.
 * @throws if the process ends before, with its output
 */
export async function ready(program: Program, { DATA_DIR }: Settings): Promise<Service> {
  const running = await program.stdout.line(/^Waymark is running at (\S+)$/);
  if (running === null) {
    const exitCode = await program.ended();
    throw new Error(`the service ended with code ${exitCode}:\n${program.stdout.text}${program.stderr.text}`);
  }
  const kept = (file: string): string => readFileSync(join(DATA_DIR, file), 'utf8').trim();
  const demo: { api_key: string; devices: Record<string, string> } = JSON.parse(kept('demo.json'));
  return {
    program,
    url: running[1] ?? '',
    apiKey: demo.api_key,
    adminToken: kept('admin-token'),
    deviceKeys: demo.devices,
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

/** A process of the operating system. `await using` kills what still runs when the test ends. */
export class Program implements AsyncDisposable {
  readonly pid: number;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly #child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>;
  readonly #leader: boolean;

  /** @param leader true for a process that leads a group of its own, which is killed with it */
  constructor(command: readonly string[], env: Readonly<Record<string, string | undefined>>, leader = false) {
    this.#child = Bun.spawn([...command], { detached: leader, cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#leader = leader;
    this.pid = this.#child.pid;
    this.stdout = new Output(this.#child.stdout);
    this.stderr = new Output(this.#child.stderr);
  }

  /** SIGKILL. Resolves when the process has ended. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    if (this.#leader) killGroup(this.pid);
    await this.ended();
  }

  /** SIGSTOP: from now on it does nothing, until it is killed. */
  pause(): void {
    process.kill(this.pid, 'SIGSTOP');
  }

  /** Sends a signal; where `to` is the group, to every process in it, as a terminal does. */
  signal(signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP', to: 'process' | 'group' = 'process'): void {
    process.kill(to === 'group' ? -this.pid : this.pid, signal);
  }

  /** Sends SIGTERM. Resolves with the exit code. */
  terminate(signal: 'SIGTERM' | 'SIGINT' = 'SIGTERM'): Promise<number> {
    this.signal(signal);
    return this.ended();
  }

  /** The exit code (128 and the signal's number where a signal ended it), once all it said has been read. */
  async ended(): Promise<number> {
    const exitCode = await this.#child.exited;
    await Promise.all([this.stdout.closed, this.stderr.closed]);
    return exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

type Waiter = { readonly pattern: RegExp; readonly resolve: (match: RegExpExecArray | null) => void };

/** What comes from a process or a connection, read as it comes, so that the writer is never held up, and can be waited for. */
export class Output {
  readonly lines: string[] = [];
  /** Resolves when the other end is closed. */
  readonly closed: Promise<void>;
  #waiters: Waiter[] = [];
  #open = true;

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.closed = this.#read(stream);
  }

  get text(): string {
    return this.lines.map((line) => `${line}\n`).join('');
  }

  /** The first line that matches, from all that was and will be written; null where the output ends without it. */
  line(pattern: RegExp): Promise<RegExpExecArray | null> {
    for (const line of this.lines) {
      const match = pattern.exec(line);
      if (match !== null) return Promise.resolve(match);
    }
    if (!this.#open) return Promise.resolve(null);
    return new Promise((resolve) => this.#waiters.push({ pattern, resolve }));
  }

  async #read(stream: AsyncIterable<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of stream) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#take(line);
    }
    if (rest !== '') this.#take(rest);
    this.#open = false;
    for (const { resolve } of this.#waiters) resolve(null);
  }

  #take(line: string): void {
    this.lines.push(line);
    this.#waiters = this.#waiters.filter(({ pattern, resolve }) => {
      const match = pattern.exec(line);
      if (match !== null) resolve(match);
      return match === null;
    });
  }
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // Nobody of the group is left.
  }
}

function searchPaths(): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR = '' } = process.env;
  return { PATH, HOME, ...(TMPDIR === '' ? {} : { TMPDIR }) };
}
