import type { Fetch } from '../../../src/cli/journey/client.ts';
import type { Place } from './search.ts';

/** An answer as it came, with what its request had said. */
export type Recorded = Place & {
  readonly request: Buffer;
  /** Of an answer in JSON. */
  readonly data: Readonly<Record<string, unknown>>;
};

/** Real requests, each of which is kept with its answer. */
export function recorder(): { readonly fetch: Fetch; readonly recorded: readonly Recorded[] } {
  const recorded: Recorded[] = [];
  return {
    recorded,
    async fetch(url, init) {
      const response = await fetch(url, init);
      const body = Buffer.from(await response.clone().arrayBuffer());
      const headers = new Headers(init.headers);
      recorded.push({
        name: `${init.method ?? 'GET'} ${new URL(url).pathname}`,
        bytes: Buffer.concat([Buffer.from(JSON.stringify([...response.headers])), body]),
        request: Buffer.from(JSON.stringify([url, [...headers], init.body ?? null])),
        data: dataIn(response, body),
      });
      return response;
    },
  };
}

function dataIn({ headers }: Response, body: Buffer): Readonly<Record<string, unknown>> {
  if (!(headers.get('content-type') ?? '').startsWith('application/json')) return {};
  // The parser of this boundary: a member that is looked for is there, or the test fails.
  const answer = JSON.parse(body.toString()) as { readonly data?: Readonly<Record<string, unknown>> };
  return answer.data ?? {};
}
