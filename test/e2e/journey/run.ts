import { cpSync } from 'node:fs';
import { systemClock } from '../../../src/adapters/system/clock.ts';
import { runJourney } from '../../../src/cli/journey/journey.ts';
import type { StepResult } from '../../../src/cli/journey/step.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { CATALOGUE_DIRECTORY } from '../../../src/supply/catalogue-file.ts';
import { openService, type Service } from '../../support/service.ts';
import { recorder, type Tamper } from './recorder.ts';

/** The service with the catalogue that ships with it. Its time stands still. */
export function open(startMs: number, catalogue = copyCatalogue): Promise<Service> {
  return openService({ startMs, mails: 'sent', catalogue });
}

export function copyCatalogue(directory: string): void {
  cpSync(CATALOGUE_DIRECTORY, directory, { recursive: true });
}

/** Runs the journey against a service in this process. `speed`: how much faster than the system's its clock runs. */
export async function run(service: Service, tamper: Tamper = {}, speed = 1) {
  const results: StepResult[] = [];
  const send = (url: string, init: RequestInit): Promise<Response> =>
    service.send(url.replace(URL_OF_SERVICE, ''), init);
  await using recording = recorder(send, tamper);
  const journey = await runJourney({
    url: URL_OF_SERVICE,
    adminToken: service.node.secrets.adminToken,
    fetch: recording.fetch,
    clock: runningClock(service.clock.nowMs(), speed),
    report: (result) => void results.push(result),
  });
  return { journey, results, recording };
}

const URL_OF_SERVICE = 'http://localhost';

/** A clock that starts at a time and runs `speed` times as fast as the system's. */
function runningClock(startMs: number, speed: number): Clock {
  const sinceMs = systemClock.nowMs();
  const nowMs = (): number => startMs + (systemClock.nowMs() - sinceMs) * speed;
  return {
    nowMs,
    until: (atMs, signal) => systemClock.until(systemClock.nowMs() + Math.ceil((atMs - nowMs()) / speed), signal),
  };
}

export function differences(results: readonly StepResult[]): string[] {
  return results.flatMap((result) => result.differences.map(({ expected, found }) => `${expected}; found ${found}`));
}
