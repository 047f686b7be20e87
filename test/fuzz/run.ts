import { readFileSync } from 'node:fs';
import { type Random, seededRandom } from '../chaos/kill/random.ts';
import { type Program, type Service, startService } from '../support/process.ts';
import { Reference } from '../support/reference.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { Connection, sendBytes } from './connection.ts';
import { type Crew, keepSecrets, newCrew } from './crew.ts';
import { wrongWith, wrongWithBytes } from './judge.ts';
import { malformed } from './malformed.ts';
import { Pool } from './pool.ts';
import { Secrets } from './secrets.ts';
import { type Shot, shotAt } from './shot.ts';
import { type Target, targetsOf } from './surface.ts';

type Attack = {
  readonly seed: number;
  readonly requests: number;
  readonly progress: (line: string) => void;
};

export type Figures = {
  requests: number;
  /** Of them, bytes that were no HTTP any more. */
  malformed: number;
  /** How often each operation was aimed at, and how often it said yes. */
  readonly aimed: Record<string, number>;
  readonly succeeded: Record<string, number>;
  readonly statuses: Record<string, number>;
  /** The longest that any answer took. */
  slowestMs: number;
  slowest: string;
  /** Resident memory of the service's process, after the first crew and from then on. */
  readonly memoryMb: number[];
};

export type Verdict = { readonly faults: readonly string[]; readonly figures: Figures };

/** Behind so many requests there is a new crew. */
const WAVE = 500;
const CONNECTIONS = 12;
const MALFORMED_PERCENT = 15;
/** With so many faults, more of them tell no more. */
const ENOUGH_FAULTS = 10;

/** Attacks a real process over real sockets, with requests that follow from its own API reference, and judges every answer. */
export async function attack({ seed, requests, progress }: Attack): Promise<Verdict> {
  using directory = temporaryDirectory();
  const settings = { DATA_DIR: directory.file('data'), PORT: '0', LOG_LEVEL: 'info' };
  await using service = await startService(settings);
  const document: unknown = await (await fetch(`${service.url}/openapi.json`)).json();
  // The reference's own test has found it valid.
  const reference = new Reference(document as ConstructorParameters<typeof Reference>[0]);
  const secrets = new Secrets();
  await keepSecrets(service, settings.DATA_DIR, secrets);
  const field = new Field(service, reference, secrets, seed);
  for (let sent = 0; sent < requests && field.faults.length < ENOUGH_FAULTS; sent += WAVE) {
    await field.wave(
      await newCrew(service, settings.DATA_DIR, field.pool, secrets),
      sent,
      Math.min(sent + WAVE, requests),
    );
    const { faults, figures } = field;
    progress(`${figures.requests} requests, ${faults.length} faults, ${figures.memoryMb.at(-1)} MB resident`);
  }
  return { faults: [...field.faults, ...(await afterwards(service, secrets))], figures: field.figures };
}

class Field {
  readonly pool = new Pool();
  readonly faults: string[] = [];
  readonly figures: Figures = {
    requests: 0,
    malformed: 0,
    aimed: {},
    succeeded: {},
    statuses: {},
    slowestMs: 0,
    slowest: '',
    memoryMb: [],
  };
  readonly #service: Service;
  readonly #reference: Reference;
  readonly #secrets: Secrets;
  readonly #seed: number;
  readonly #targets: readonly [Target, ...Target[]];

  constructor(service: Service, reference: Reference, secrets: Secrets, seed: number) {
    this.#service = service;
    this.#reference = reference;
    this.#secrets = secrets;
    this.#seed = seed;
    this.#targets = targetsOf(reference.operations);
    for (const { id } of this.#targets) this.figures.aimed[id] = 0;
  }

  /** Each request's randomness is its own, so that it is the same whichever connection it goes over. */
  async wave(crew: Crew, from: number, to: number): Promise<void> {
    let next = from;
    const sendSome = async (): Promise<void> => {
      using connection = new Connection(this.#service.url);
      while (next < to) await this.#send(crew, connection, next++);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, sendSome));
    this.figures.memoryMb.push(residentMb(this.#service.program));
  }

  async #send({ credentials }: Crew, connection: Connection, index: number): Promise<void> {
    const random = seededRandom(this.#seed * 1_000_003 + index);
    const target = random.pick(this.#targets);
    const { host } = new URL(this.#service.url);
    const shot = shotAt(target, { host, credentials, pool: this.pool }, random);
    const { figures } = this;
    figures.requests++;
    count(figures.aimed, target.id);
    const sinceMs = performance.now();
    const wrong = random.percent(MALFORMED_PERCENT)
      ? await this.#sendMalformed(shot, random)
      : await this.#sendSound(shot, connection);
    const tookMs = Math.round(performance.now() - sinceMs);
    if (tookMs > figures.slowestMs) Object.assign(figures, { slowestMs: tookMs, slowest: firstLine(shot.bytes) });
    if (wrong !== null) this.faults.push(`request ${index} (${shot.id}): ${wrong}\n${shown(shot.bytes)}`);
  }

  async #sendSound(shot: Shot, connection: Connection): Promise<string | null> {
    const outcome = await connection.send(shot.bytes, shot.method === 'HEAD');
    const wrong = wrongWith(shot, outcome, this.#reference, this.#secrets);
    if (outcome.kind !== 'answer') return wrong;
    const { status, text, headers } = outcome.seen;
    count(this.figures.statuses, String(status));
    if (status === 200) count(this.figures.succeeded, shot.id);
    if (status === 200 && (headers.get('content-type') ?? '').startsWith('application/json') && text.length < 50_000)
      this.#learn(text);
    return wrong;
  }

  async #sendMalformed(shot: Shot, random: Random): Promise<string | null> {
    this.figures.malformed++;
    const bytes = malformed(shot.bytes, random);
    const received = await sendBytes(this.#service.url, bytes);
    if (received === null) return `the connection stayed open behind ${shown(bytes)}`;
    const wrong = wrongWithBytes(received, Buffer.from(bytes).toString('latin1'), this.#secrets);
    return wrong === null ? null : `${wrong}, behind ${shown(bytes)}`;
  }

  /** What was shown as it was made is a secret from then on. */
  #learn(text: string): void {
    const { data } = (text === '' ? {} : JSON.parse(text)) as { readonly data?: Readonly<Record<string, unknown>> };
    for (const name of ['key', 'webhook_secret', 'device_key']) {
      const made = data?.[name];
      if (typeof made === 'string') this.#secrets.keep(`a ${name} that was made meanwhile`, made);
    }
    this.pool.learn(data);
  }
}

/** It still answers, ends in order, and has said nothing that it should not. */
async function afterwards({ url, program }: Service, secrets: Secrets): Promise<string[]> {
  const faults: string[] = [];
  const alive = await fetch(`${url}/livez`);
  if (alive.status !== 200) faults.push(`it lives no more: ${alive.status}`);
  const exitCode = await program.terminate();
  if (exitCode !== 0) faults.push(`it ended with code ${exitCode}`);
  if (program.stderr.text !== '') faults.push(`it wrote on standard error:\n${program.stderr.text.slice(0, 2_000)}`);
  const log = program.stdout.lines.filter((line) => line.startsWith('{'));
  const errors = log.filter((line) => /"level":[56]0/.test(line));
  faults.push(...errors.slice(0, ENOUGH_FAULTS).map((line) => `it logged a fault: ${line.slice(0, 2_000)}`));
  const told = secrets.shownIn(log.join('\n'));
  if (told !== null) faults.push(`its log shows ${told}`);
  return faults;
}

function residentMb({ pid }: Program): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes ?? Number.NaN) / 1_024);
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

function firstLine(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1').split('\r\n')[0]?.slice(0, 200) ?? '';
}

/** A request as it can be read in a report. */
function shown(bytes: Uint8Array): string {
  return JSON.stringify(Buffer.from(bytes).toString('latin1')).slice(0, 3_000);
}
