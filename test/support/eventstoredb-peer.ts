import { join } from 'node:path';
import { ROOT } from './files.ts';
import type { Fault, Operation } from './peers/eventstoredb/faults.mjs';
import type { Slowness } from './peers/eventstoredb/latency.mjs';
import { Output } from './process.ts';

export type { Fault, Operation, Slowness };

/** What clients see of a member of the cluster. */
export type Member = {
  readonly host: string;
  readonly port: number;
  readonly role: 'leader' | 'follower' | 'read-only-replica' | 'unknown';
  readonly alive: boolean;
};

export type PeerOptions = {
  /** The file that keeps the events: a peer that is started on it again has what its predecessor acknowledged. */
  readonly data: string;
  /** 0 for any that is free. */
  readonly port?: number;
  /** Files. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Who may come in, and nobody else does; clients only say who they are over TLS. */
  readonly account?: { readonly user: string; readonly password: string };
  /** False for a server that has no batches, as before version 21.6. */
  readonly batchAppend?: boolean;
  /** The version that the server tells its clients, 24.2.0 unless it is named. */
  readonly serverVersion?: string;
  /** False for a server that answers before the disk has what was appended. */
  readonly durable?: boolean;
};

type Answer = { readonly id: number; readonly ok: boolean; readonly error?: string };

const SERVER = join(ROOT, 'test', 'support', 'peers', 'eventstoredb', 'server.mjs');

/**
 * A server on this machine that speaks EventStoreDB's protocol, in a process of its own: `test/support/peers/eventstoredb` says
 * what it can do. `await using` kills it when the test ends.
 */
export class EventStoreDbPeer implements AsyncDisposable {
  readonly pid: number;
  readonly port: number;
  readonly #child: Bun.Subprocess<'pipe', 'pipe', 'pipe'>;
  readonly #stdout: Output;
  readonly #secure: boolean;
  #commands = 0;

  private constructor(child: Bun.Subprocess<'pipe', 'pipe', 'pipe'>, stdout: Output, port: number, secure: boolean) {
    this.#child = child;
    this.#stdout = stdout;
    this.#secure = secure;
    this.pid = child.pid;
    this.port = port;
  }

  /**
   * Resolves when it listens.
   * @throws when it does not come to that, with what it said
   */
  static async start(options: PeerOptions): Promise<EventStoreDbPeer> {
    const child = Bun.spawn(['node', SERVER, ...programArguments(options)], {
      cwd: ROOT,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const stdout = new Output(child.stdout);
    const stderr = new Output(child.stderr);
    const line = await stdout.line(/^\{"host":.*"port":(\d+)\}$/);
    if (line === null) {
      await stderr.closed;
      throw new Error(`the EventStoreDB peer ended with code ${await child.exited}:\n${stderr.text}`);
    }
    return new EventStoreDbPeer(child, stdout, Number(line[1]), options.tls !== undefined);
  }

  /** Where clients connect to this one server. */
  get url(): string {
    return `esdb://127.0.0.1:${this.port}?tls=${this.#secure}`;
  }

  /** Where clients ask who leads the cluster, and connect to that one. */
  get discoveryUrl(): string {
    return `esdb+discover://127.0.0.1:${this.port}?tls=${this.#secure}`;
  }

  /** Lets something go wrong with the next calls, one unless `times` says more, of one stream where it is named. */
  fault(on: Operation, fault: Fault, { times = 1, stream }: { times?: number; stream?: string } = {}): Promise<void> {
    return this.#command({ command: 'fault', on, fault, times, ...(stream === undefined ? {} : { stream }) });
  }

  /** Appends, reads and messages of subscriptions come late, and the server stands still now and then. */
  latency(slowness: Slowness): Promise<void> {
    return this.#command({ command: 'latency', ...slowness });
  }

  /** Nothing goes wrong any more, and nothing is slow. */
  clearFaults(): Promise<void> {
    return this.#command({ command: 'clear' });
  }

  /** Tells the node who belongs to its cluster, itself included. */
  members(members: readonly Member[]): Promise<void> {
    return this.#command({ command: 'members', members });
  }

  /** Moves the time on by which the server tells the age of events. */
  advance(ms: number): Promise<void> {
    return this.#command({ command: 'advance', ms });
  }

  scavenge(): Promise<void> {
    return this.#command({ command: 'scavenge' });
  }

  /** Breaks every connection, without a word. */
  dropConnections(): Promise<void> {
    return this.#command({ command: 'drop-connections' });
  }

  /** Ends every subscription with an error: a gRPC status code, and its text. */
  dropSubscriptions(code: number, details: string): Promise<void> {
    return this.#command({ command: 'drop-subscriptions', code, details });
  }

  /** SIGSTOP: connections stay open and nothing is answered, until it is resumed. */
  pause(): void {
    process.kill(this.pid, 'SIGSTOP');
  }

  resume(): void {
    process.kill(this.pid, 'SIGCONT');
  }

  /** Asks it to stop, and resolves with its exit code. */
  stop(): Promise<number> {
    this.#child.kill('SIGTERM');
    return this.#child.exited;
  }

  /** Lets go of it as a test does that ends without a word, and resolves with its exit code. */
  async leave(): Promise<number> {
    await this.#child.stdin.end();
    return this.#child.exited;
  }

  /** SIGKILL: it gets no chance to put anything in order. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#child.exited;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }

  async #command(command: object): Promise<void> {
    const id = ++this.#commands;
    void this.#child.stdin.write(`${JSON.stringify({ id, ...command })}\n`);
    await this.#child.stdin.flush();
    const line = await this.#stdout.line(new RegExp(`^\\{"id":${id},.*$`));
    if (line === null) throw new Error('the EventStoreDB peer is gone');
    const answer: Answer = JSON.parse(line[0]);
    if (!answer.ok) throw new Error(answer.error);
  }
}

function programArguments(options: PeerOptions): string[] {
  const { data, port = 0, tls, account, batchAppend = true, durable = true, serverVersion } = options;
  return [
    '--control',
    '--data',
    data,
    '--port',
    String(port),
    ...(tls === undefined ? [] : ['--tls-cert', tls.cert, '--tls-key', tls.key]),
    ...(account === undefined ? [] : ['--user', account.user, '--password', account.password]),
    ...(batchAppend ? [] : ['--no-batch-append']),
    ...(durable ? [] : ['--no-sync']),
    ...(serverVersion === undefined ? [] : ['--server-version', serverVersion]),
  ];
}
