import { connected } from './remote.ts';

let looked: Promise<string | null> | null = null;

/**
 * The URL of the server that `EVENTSTORE_URL` names, null where it names none. It is looked for once in a run.
 *
 * @throws where that server does not answer: nothing is then held against anything else in its place
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
