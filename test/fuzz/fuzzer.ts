import { residentMb } from '../bench/large-catalogue.ts';
import { type Random, seededRandom } from '../chaos/kill/random.ts';
import { type Service, startService } from '../support/process.ts';
import { fullReference, type Reference } from '../support/reference.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { Connection, sendBytes } from './connection.ts';
import { Corpus } from './corpus.ts';
import { createFixtures, type Fixtures, registerSecrets } from './fixtures.ts';
import { malformed } from './malformed.ts';
import { type FuzzedOperation, operationsOf } from './operations.ts';
import { faultOf, faultOfMalformed } from './oracle.ts';
import { type FuzzRequest, requestFor } from './request.ts';
import { Secrets } from './secrets.ts';

type FuzzOptions = {
  readonly seed: number;
  readonly requests: number;
  readonly progress: (line: string) => void;
};

export type Figures = {
  requests: number;
  /** The part of them that was malformed HTTP. */
  malformed: number;
  /** Requests to each operation, and how many of them succeeded. */
  readonly sent: Record<string, number>;
  readonly succeeded: Record<string, number>;
  readonly statuses: Record<string, number>;
  /** The slowest answer. */
  slowestMs: number;
  slowest: string;
  /** Resident memory of the service's process after each batch. */
  readonly memoryMb: number[];
};

export type FuzzResult = { readonly faults: readonly string[]; readonly figures: Figures };

/** The operations that got less than half as many requests as an operation gets on average. */
export function rarelySent({ sent }: Figures): readonly string[] {
  const operations = Object.entries(sent);
  const all = operations.reduce((sum, [, times]) => sum + times, 0);
  return operations.flatMap(([id, times]) => (times < all / operations.length / 2 ? [id] : []));
}

/** Requests with the same fixtures. */
const BATCH = 500;
const CONNECTIONS = 12;
const MALFORMED_PERCENT = 15;
/** Stops after this many faults. */
const MAX_FAULTS = 10;

/** Sends requests generated from the API reference to a real process over sockets, and checks every answer. */
export async function fuzz({ seed, requests, progress }: FuzzOptions): Promise<FuzzResult> {
  using directory = temporaryDirectory();
  // Most requests have a wrong token or key, all from one address.
  const settings = {
    DATA_DIR: directory.file('data'),
    PORT: '0',
    LOG_LEVEL: 'info',
    WRONG_TOKENS_PER_MINUTE: '1000000',
  };
  await using service = await startService(settings);
  const reference = await fullReference((path) => fetch(`${service.url}${path}`));
  const secrets = new Secrets();
  await registerSecrets(service, settings.DATA_DIR, secrets);
  const fuzzer = new Fuzzer(service, reference, secrets, seed);
  for (let sent = 0; sent < requests && fuzzer.faults.length < MAX_FAULTS; sent += BATCH) {
    const fixtures = await createFixtures(service, settings.DATA_DIR, fuzzer.corpus, secrets);
    await fuzzer.sendBatch(fixtures, sent, Math.min(sent + BATCH, requests));
    const { faults, figures } = fuzzer;
    progress(`${figures.requests} requests, ${faults.length} faults, ${figures.memoryMb.at(-1)} MB resident`);
  }
  return { faults: [...fuzzer.faults, ...(await faultsAfterwards(service, secrets))], figures: fuzzer.figures };
}

class Fuzzer {
  readonly corpus = new Corpus();
  readonly faults: string[] = [];
  readonly figures: Figures = {
    requests: 0,
    malformed: 0,
    sent: {},
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
  readonly #operations: readonly [FuzzedOperation, ...FuzzedOperation[]];

  constructor(service: Service, reference: Reference, secrets: Secrets, seed: number) {
    this.#service = service;
    this.#reference = reference;
    this.#secrets = secrets;
    this.#seed = seed;
    this.#operations = operationsOf(reference);
    for (const { id } of this.#operations) this.figures.sent[id] = 0;
  }

  /** Every request has its own seed, so it does not depend on the connection that sends it. */
  async sendBatch(fixtures: Fixtures, from: number, to: number): Promise<void> {
    let next = from;
    const sendSome = async (): Promise<void> => {
      using connection = new Connection(this.#service.url);
      while (next < to) await this.#send(fixtures, connection, next++);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, sendSome));
    this.figures.memoryMb.push(residentMb(this.#service.program.pid));
  }

  async #send({ credentials }: Fixtures, connection: Connection, index: number): Promise<void> {
    const random = seededRandom(this.#seed * 1_000_003 + index);
    const operation = random.pick(this.#operations);
    const { host } = new URL(this.#service.url);
    const request = requestFor(operation, { host, credentials, corpus: this.corpus }, random);
    const { figures } = this;
    figures.requests++;
    count(figures.sent, operation.id);
    const sinceMs = performance.now();
    const fault = random.percent(MALFORMED_PERCENT)
      ? await this.#sendMalformed(request, random)
      : await this.#sendValid(request, connection);
    const tookMs = Math.round(performance.now() - sinceMs);
    if (tookMs > figures.slowestMs) Object.assign(figures, { slowestMs: tookMs, slowest: firstLine(request.bytes) });
    if (fault !== null) this.faults.push(`request ${index} (${request.id}): ${fault}\n${shown(request.bytes)}`);
  }

  async #sendValid(request: FuzzRequest, connection: Connection): Promise<string | null> {
    const outcome = await connection.send(request.bytes, request.method === 'HEAD');
    const fault = faultOf(request, outcome, this.#reference, this.#secrets);
    if (outcome.kind !== 'answer') return fault;
    const { status, text, headers } = outcome.seen;
    count(this.figures.statuses, String(status));
    if (status === 200) count(this.figures.succeeded, request.id);
    if (status === 200 && (headers.get('content-type') ?? '').startsWith('application/json') && text.length < 50_000)
      this.#learn(text);
    return fault;
  }

  async #sendMalformed(request: FuzzRequest, random: Random): Promise<string | null> {
    this.figures.malformed++;
    const bytes = malformed(request.bytes, random);
    const received = await sendBytes(this.#service.url, bytes);
    if (received === null) return `the connection stayed open after ${shown(bytes)}`;
    const fault = faultOfMalformed(received, Buffer.from(bytes).toString('latin1'), this.#secrets);
    return fault === null ? null : `${fault}, after ${shown(bytes)}`;
  }

  /** Adds the answer's values to the corpus. A new key is a secret from now on. */
  #learn(text: string): void {
    const { data } = (text === '' ? {} : JSON.parse(text)) as { readonly data?: Readonly<Record<string, unknown>> };
    for (const name of ['key', 'webhook_secret', 'device_key']) {
      const made = data?.[name];
      if (typeof made === 'string') this.#secrets.add(`a new ${name}`, made);
    }
    this.corpus.learn(data);
  }
}

/** The service must still answer, exit with code 0, and log no fault and no secret. */
async function faultsAfterwards({ url, program }: Service, secrets: Secrets): Promise<string[]> {
  const faults: string[] = [];
  const alive = await fetch(`${url}/livez`);
  if (alive.status !== 200) faults.push(`/livez answers ${alive.status}`);
  const exitCode = await program.terminate();
  if (exitCode !== 0) faults.push(`it exited with code ${exitCode}`);
  if (program.stderr.text !== '') faults.push(`it wrote to standard error:\n${program.stderr.text.slice(0, 2_000)}`);
  const log = program.stdout.lines.filter((line) => line.startsWith('{'));
  const errors = log.filter((line) => /"level":[56]0/.test(line));
  faults.push(...errors.slice(0, MAX_FAULTS).map((line) => `it logged a fault: ${line.slice(0, 2_000)}`));
  const leak = secrets.leakIn(log.join('\n'));
  if (leak !== null) faults.push(`its log contains ${leak}`);
  return faults;
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

function firstLine(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1').split('\r\n')[0]?.slice(0, 200) ?? '';
}

/** A request for a report. */
function shown(bytes: Uint8Array): string {
  return JSON.stringify(Buffer.from(bytes).toString('latin1')).slice(0, 3_000);
}
