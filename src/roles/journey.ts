import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../adapters/system/clock.ts';
import type { Config } from '../config.ts';
import { type Journey, playJourney } from '../journey/journey.ts';
import { openOutbox } from '../journey/outbox.ts';
import type { StepResult } from '../journey/step.ts';
import { kept, serviceUrl } from './running-service.ts';

const USAGE = 'waymark journey [--url URL] [--data DIR] [--json]';

/**
 * `waymark journey`: plays the whole journey against the running service, prints what it did, step by step.
 * @returns the process's exit code: 1 where anything differed from what is promised, 2 where it could not begin
 */
export async function journeyCommand(args: readonly string[], config: Config): Promise<number> {
  const given = optionsOf(args);
  if (given === null) return told(`the options are: ${USAGE}`);
  const dataDirectory = given.data === undefined ? config.dataDirectory : resolve(given.data);
  const service = { ...config, dataDirectory };
  const url = (given.url ?? serviceUrl(service))?.replace(/\/+$/, '');
  if (url === undefined) return told(`${dataDirectory} names no running service; start it, or name it with --url`);
  const adminToken = config.adminToken ?? kept(service, 'admin-token');
  if (adminToken === null) return told(`set WAYMARK_ADMIN_TOKEN: ${dataDirectory} holds no admin-token`);
  const steps: StepResult[] = [];
  const report = (result: StepResult): void => {
    steps.push(result);
    if (!given.json) process.stdout.write(linesOf(result));
  };
  // The outbox is the service's own only where the directory is.
  const outbox = url === kept(service, 'address') ? openOutbox(join(dataDirectory, 'outbox')) : null;
  const journey = await playJourney({ url, adminToken, outbox, fetch, clock: systemClock, report });
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

function optionsOf(
  args: readonly string[],
): { readonly url?: string; readonly data?: string; readonly json: boolean } | null {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { url: { type: 'string' }, data: { type: 'string' }, json: { type: 'boolean', default: false } },
    });
    return values;
  } catch {
    return null;
  }
}

function told(message: string): number {
  process.stderr.write(`waymark journey: ${message}\n`);
  return 2;
}
