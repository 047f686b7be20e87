import { connected } from './remote.ts';

let looked: Promise<string | null> | null = null;

/**
 * The URL in `EVENTSTORE_URL`; null if it is not set. The server is checked once per run.
 *
 * @throws if that server does not answer; no other server replaces it
 */
export function namedServer(): Promise<string | null> {
  looked ??= look(process.env['EVENTSTORE_URL'] ?? '');
  return looked;
}

async function look(url: string): Promise<string | null> {
  if (url === '') return null;
  const store = connected(url);
  try {
    await store.head();
    return url;
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : String(fault);
    throw new Error(`EVENTSTORE_URL names a server that cannot be used: ${reason}`, { cause: fault });
  } finally {
    await store.close();
  }
}
