import { existsSync, readFileSync } from 'node:fs';
import { type Config, readConfig } from '../config.ts';
import type { ReportAnswer } from '../http/ops/evaluation-schema.ts';
import { pause } from '../runtime/running.ts';
import { command, type Given, refuse } from './command.ts';
import { reportText } from './evaluate/report-text.ts';
import { type LogProgress, LogProgressLine } from './log-progress.ts';
import { kept, serviceUrl } from './running-service.ts';

const OPTIONS = {
  model: { type: 'string', value: 'FILE', meaning: 'The model, a JSON file; docs/evaluation.md describes it.' },
  from: {
    type: 'string',
    value: 'DATE',
    meaning: 'The first day of the answers, in UTC. By default the first of all.',
  },
  to: { type: 'string', value: 'DATE', meaning: 'The last day of the answers, in UTC. By default the last of all.' },
  city: { type: 'string', value: 'CITY', meaning: 'Only answers for this city.' },
  json: { type: 'boolean', meaning: 'Prints the report as one JSON object.' },
} as const;

const REFUSED_TO_CONCLUDE = 3;
/** The service runs another evaluation, or this address has sent too many requests. */
const BUSY = 429;
/** Where `Retry-After` is missing. */
const RETRY_S = 10;

export const EVALUATE = command({
  name: 'evaluate',
  summary: 'Estimates from the logged answers how many visits other ranking parameters would lead to.',
  details: [
    'The running service replays its context logs with the model and compares what it would show first with the verified visits. It stores nothing, and refuses to conclude where the logs cannot support it.',
    'The command prints the progress on standard error, and the report on standard output. While another evaluation runs, it waits and tries again. SIGINT ends it; the service ends the evaluation a minute later.',
  ],
  arguments: [],
  options: OPTIONS,
  settings: ['DATA_DIR', 'WAYMARK_ADMIN_TOKEN', 'WAYMARK_ANALYST_TOKEN', 'WAYMARK_URL'],
  exitCodes: {
    0: 'The report has a conclusion.',
    1: 'The service refused the request, the command was interrupted, or a setting is invalid.',
    2: 'Invalid arguments, or the command found no service.',
    [REFUSED_TO_CONCLUDE]: 'The logs cannot support a conclusion; the report says why.',
  },
  run: ({ options }) => evaluate(options),
});

async function evaluate({ model: file, json, ...span }: Given<typeof OPTIONS>['options']): Promise<number> {
  const model = modelIn(file);
  if (model.kind === 'fault') return refuse('evaluate', model.fault);
  const config = readConfig(process.env, 'command');
  const url = serviceUrl(config);
  if (url === null) return refuse('evaluate', 'the service does not run here; set WAYMARK_URL to its address');
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  const progress = new LogProgressLine(process.stderr);
  const request = {
    method: 'POST',
    headers: { authorization: `Bearer ${tokenOf(config)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: model.model, ...span }),
    signal: interrupted.signal,
  };
  try {
    for (;;) {
      const answer = await fetch(`${url}/api/ops/evaluations`, request);
      if (answer.status === BUSY) {
        await waitAsTold(answer, interrupted.signal);
        continue;
      }
      if (!answer.ok) return await failed(url, answer);
      // The format of our own API.
      const { data } = (await answer.json()) as { readonly data: Answered };
      if (data.progress !== null) progress.show('evaluation', data.progress);
      if (data.report === null) continue;
      progress.end();
      process.stdout.write(json === true ? `${JSON.stringify(data.report)}\n` : reportText(data.report));
      return data.report.conclusion === 'refused' ? REFUSED_TO_CONCLUDE : 0;
    }
  } catch (fault) {
    progress.end();
    const why = interrupted.signal.aborted
      ? 'interrupted'
      : `the service at ${url} cannot be reached: ${String(fault)}`;
    process.stderr.write(`waymark evaluate: ${why}\n`);
    return 1;
  }
}

/** Waits for the seconds of `Retry-After`, and says so. */
async function waitAsTold(answer: Response, signal: AbortSignal): Promise<void> {
  const seconds = Number(answer.headers.get('retry-after') ?? RETRY_S) || RETRY_S;
  // The format of our own API.
  const { error } = (await answer.json()) as { readonly error: string };
  process.stderr.write(`waymark evaluate: ${error} Trying again in ${seconds} s.\n`);
  await pause(seconds * 1_000, signal);
  signal.throwIfAborted();
}

type Answered = { readonly progress: LogProgress | null; readonly report: ReportAnswer | null };

type Read = { readonly kind: 'model'; readonly model: unknown } | { readonly kind: 'fault'; readonly fault: string };

/** The service checks the model's members. */
function modelIn(file: string | undefined): Read {
  if (file === undefined) return { kind: 'fault', fault: 'give the model: --model FILE' };
  if (!existsSync(file)) return { kind: 'fault', fault: `there is no file ${file}` };
  try {
    return { kind: 'model', model: JSON.parse(readFileSync(file, 'utf8')) };
  } catch (fault) {
    return { kind: 'fault', fault: `${file} is not JSON: ${String(fault)}` };
  }
}

function tokenOf(config: Config): string {
  return config.adminToken ?? config.analystToken ?? kept(config, 'admin-token') ?? kept(config, 'analyst-token') ?? '';
}

async function failed(url: string, answer: Response): Promise<number> {
  process.stderr.write(`waymark evaluate: the service at ${url} answered ${answer.status}: ${await answer.text()}\n`);
  return 1;
}
