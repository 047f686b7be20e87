import { resolve } from 'node:path';
import { systemClock } from '../adapters/system/clock.ts';
import { readConfig } from '../config.ts';
import { command, type Given, refuse } from './command.ts';
import type { Journey } from './journey/journey.ts';
import type { StepResult } from './journey/step.ts';
import { kept, serviceUrl } from './running-service.ts';

const OPTIONS = {
  url: { type: 'string', value: 'URL', meaning: 'The service; overrides `WAYMARK_URL`.' },
  data: { type: 'string', value: 'DIR', meaning: "The service's data directory; overrides `DATA_DIR`." },
  json: { type: 'boolean', meaning: 'Prints one JSON object at the end instead of a line per step.' },
} as const;

export const JOURNEY = command({
  name: 'journey',
  summary: 'Tests the running service end to end, from the recommendation to the visit, and reports each step.',
  details: ['It creates a key, a gate device, bookings and deliveries, which remain in the log.'],
  arguments: [],
  options: OPTIONS,
  settings: ['DATA_DIR', 'WAYMARK_ADMIN_TOKEN', 'WAYMARK_URL'],
  exitCodes: {
    0: 'Every step succeeded.',
    1: 'A step failed, or a setting is invalid.',
    2: 'Invalid arguments, or the service or its admin token is unknown.',
  },
  run: ({ options }) => makeJourney(options),
});

async function makeJourney(given: Given<typeof OPTIONS>['options']): Promise<number> {
  const config = readConfig(process.env, 'command');
  const dataDirectory = given.data === undefined ? config.dataDirectory : resolve(given.data);
  const service = { ...config, dataDirectory };
  const url = (given.url ?? serviceUrl(service))?.replace(/\/+$/, '');
  if (url === undefined)
    return refuse('journey', `${dataDirectory} names no running service; start it, or name it with --url`);
  const adminToken = config.adminToken ?? kept(service, 'admin-token');
  if (adminToken === null) return refuse('journey', `set WAYMARK_ADMIN_TOKEN: ${dataDirectory} holds no admin-token`);
  const steps: StepResult[] = [];
  const report = (result: StepResult): void => {
    steps.push(result);
    if (!given.json) process.stdout.write(linesOf(result));
  };
  // Loaded here only: `serve` needs no QR reader.
  const { runJourney } = await import('./journey/journey.ts');
  const journey = await runJourney({ url, adminToken, fetch, clock: systemClock, report });
  process.stdout.write(given.json ? `${JSON.stringify({ url, ...journey, steps })}\n` : closingLine(journey));
  return journey.differing === 0 ? 0 : 1;
}

/** A line for the step, and one below it for each difference. */
function linesOf({ name, outcome, facts, differences, tookMs }: StepResult): string {
  const sign = { kept: '✓', differs: '✗', 'left out': '–' }[outcome];
  const line = [name, ...facts].join(' · ');
  const time = outcome === 'left out' ? '' : ` (${Math.round(tookMs)} ms)`;
  const below = differences.map(({ expected, found }) => `    expected ${expected}\n    found    ${found}`);
  return `${[`${sign} ${line}${time}`, ...below].join('\n')}\n`;
}

function closingLine(journey: Journey): string {
  const { differing, leftOut, tookMs } = journey;
  const left = leftOut === 0 ? '' : `, ${leftOut} left out`;
  return `\njourney: ${journey.kept} steps as promised, ${differing} different${left}, in ${(tookMs / 1_000).toFixed(1)} s\n`;
}
