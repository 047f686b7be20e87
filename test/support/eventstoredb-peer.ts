import { join } from 'node:path';
import { ROOT } from './files.ts';
import type { Counts } from './peers/eventstoredb/call-counts.mjs';
import type { Fault, Operation } from './peers/eventstoredb/faults.mjs';
import type { Slowness } from './peers/eventstoredb/latency.mjs';
import { Output } from './process.ts';

export type { Fault, Operation, Slowness };

/** The calls since the server started, and its open subscriptions. */
export type ServerCalls = { readonly counts: Counts; readonly openSubscriptions: number };

/** A member of the cluster, as clients see it. */
export type Member = {
  readonly host: string;
  readonly port: number;
  readonly role: 'leader' | 'follower' | 'read-only-replica' | 'unknown';
  readonly alive: boolean;
};

export type PeerOptions = {
  /** The file that stores the events; a peer restarted on it has every acknowledged event. */
  readonly data: string;
  /** 0: any free port. */
  readonly port?: number;
  /** Files. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** The only account with access. Clients send credentials over TLS only. */
  readonly account?: { readonly user: string; readonly password: string };
  /** False: no batch append, as before version 21.6. */
  readonly batchAppend?: boolean;
  /** The reported version; default 24.2.0. */
  readonly serverVersion?: string;
  /** False: the server answers before an append is on disk. */
  readonly durable?: boolean;
};

type Answer = Partial<ServerCalls> & { readonly id: number; readonly ok: boolean; readonly error?: string };

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
   * @throws if it ends before, with its output
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

  /** The URL of this server. */
  get url(): string {
    return `esdb://127.0.0.1:${this.port}?tls=${this.#secure}`;
  }

  /** The URL for cluster discovery. */
  get discoveryUrl(): string {
    return `esdb+discover://127.0.0.1:${this.port}?tls=${this.#secure}`;
  }

  /** Injects a fault into the next `times` calls (default 1), of one stream if named. */
  fault(on: Operation, fault: Fault, { times = 1, stream }: { times?: number; stream?: string } = {}): Promise<void> {
    return this.#command({ command: 'fault', on, fault, times, ...(stream === undefined ? {} : { stream }) });
  }

  /** Delays appends, reads and subscription messages, and pauses the server now and then. */
  latency(slowness: Slowness): Promise<void> {
    return this.#command({ command: 'latency', ...slowness });
  }

  /** Removes all faults and delays. */
  clearFaults(): Promise<void> {
    return this.#command({ command: 'clear' });
  }

  /** Sets the members of the cluster, this node included. */
  members(members: readonly Member[]): Promise<void> {
    return this.#command({ command: 'members', members });
  }

  /** Advances the clock by which the server computes the age of events. */
  advance(ms: number): Promise<void> {
    return this.#command({ command: 'advance', ms });
  }

  scavenge(): Promise<void> {
    return this.#command({ command: 'scavenge' });
  }

  /** Breaks every connection. */
  dropConnections(): Promise<void> {
    return this.#command({ command: 'drop-connections' });
  }

  /** Ends every subscription with an error: a gRPC status code, and its text. */
  dropSubscriptions(code: number, details: string): Promise<void> {
    return this.#command({ command: 'drop-subscriptions', code, details });
  }

  /** Sends nothing more to the subscriptions of the client that subscribed last. New ones are served. */
  muteSubscriptions(): Promise<void> {
    return this.#command({ command: 'mute-subscriptions' });
  }

  async calls(): Promise<ServerCalls> {
    const { counts, openSubscriptions } = await this.#ask({ command: 'counts' });
    if (counts === undefined || openSubscriptions === undefined) throw new Error('the peer did not count its calls');
    return { counts, openSubscriptions };
  }

  /** SIGSTOP: connections stay open and nothing is answered, until it is resumed. */
  pause(): void {
    process.kill(this.pid, 'SIGSTOP');
  }

  resume(): void {
    process.kill(this.pid, 'SIGCONT');
  }

  /** Sends SIGTERM. Resolves with the exit code. */
  stop(): Promise<number> {
    this.#child.kill('SIGTERM');
    return this.#child.exited;
  }

  /** Closes its standard input, as a test process that dies does. Resolves with the exit code. */
  async leave(): Promise<number> {
    await this.#child.stdin.end();
    return this.#child.exited;
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#child.exited;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }

  async #command(command: object): Promise<void> {
    await this.#ask(command);
  }

  async #ask(command: object): Promise<Answer> {
    const id = ++this.#commands;
    void this.#child.stdin.write(`${JSON.stringify({ id, ...command })}\n`);
    await this.#child.stdin.flush();
    const line = await this.#stdout.line(new RegExp(`^\\{"id":${id},.*$`));
    if (line === null) throw new Error('the EventStoreDB peer is gone');
    const answer: Answer = JSON.parse(line[0]);
    if (!answer.ok) throw new Error(answer.error);
    return answer;
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
