import { expect } from 'bun:test';
import { cpSync } from 'node:fs';
import { CATALOGUE_DIRECTORY } from '../../src/supply/catalogue-file.ts';
import { type CityFile, type Filters, type Known, reckon } from './reckoning.ts';
import { openService, type Service } from './service.ts';

/** A service with the catalogue that Waymark comes with. */
export function openShipped(startMs: number): Promise<Service> {
  return openService({
    startMs,
    catalogue: (directory) => cpSync(CATALOGUE_DIRECTORY, directory, { recursive: true }),
  });
}

/** What is known of a service that was opened at this moment and has sold nothing. */
export function untouched(service: Service): Known {
  return { listedAt: new Date(service.clock.nowMs()).toISOString(), touched: new Map() };
}

/** Asks the service, and holds the whole answer against the reckoning. `headers` may say how fresh it must be. */
export async function agree(
  service: Service,
  file: CityFile,
  asked: { readonly date: string } & Filters,
  known: Known,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { date, ...filters } = asked;
  const query = queryOf({ city: file.city, ...asked });
  const expected = reckon(file, date, service.clock.nowMs(), filters, known);
  // The question stands beside the answer, so that a difference says where it is.
  expect({ query, answer: await answerTo(service, query, headers) }).toEqual({
    query,
    answer: expected ?? 'NO_INVENTORY',
  });
}

/** The `data` of an answer, or the code of a refusal. */
export async function answerTo(
  service: Service,
  query: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<object | string> {
  const answer = await service.inventory(query, headers);
  return answer.status === 200 ? answer.data : answer.refusal.code;
}

export function queryOf(parameters: object): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');
}
