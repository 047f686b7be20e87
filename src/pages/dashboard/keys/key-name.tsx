import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api, read } from '../client.ts';
import { Id } from '../components/values.tsx';
import { caller, may } from '../session.ts';

/** Of one request. */
const MOST = 100;

const names = signal<ReadonlyMap<string, string>>(new Map());
/** What was read for a session: the newest keys once, and older ones when a page shows them. */
let reading = { session: null as string | null, newest: Promise.resolve(), asked: new Set<string>() };

/** A key by its id. Admins, who may read keys, see its name as a link to its page; others see the id alone. */
export function KeyName({ id }: { readonly id: string }) {
  const reads = may('list_keys') && may('get_key');
  useEffect(() => {
    if (reads) void loadName(id);
  }, [id, reads]);
  if (!reads) return <Id of={id} />;
  const name = names.value.get(id);
  const href = `/dashboard/keys/${encodeURIComponent(id)}`;
  return (
    <span class="entry">
      <a href={href}>{name ?? <Id of={id} />}</a>
      {name !== undefined && (
        <small>
          <Id of={id} />
        </small>
      )}
    </span>
  );
}

async function loadName(id: string): Promise<void> {
  const session = caller()?.id ?? null;
  if (reading.session !== session) {
    names.value = new Map();
    reading = { session, newest: loadNewest(), asked: new Set() };
  }
  const { newest, asked } = reading;
  await newest;
  if (names.value.has(id) || asked.has(id)) return;
  asked.add(id);
  try {
    add([await read(api.keys({ id }).get())]);
  } catch {
    // The page has the id; the next page that shows it tries again.
    asked.delete(id);
  }
}

async function loadNewest(): Promise<void> {
  try {
    add((await read(api.keys.get({ query: { limit: MOST } }))).items);
  } catch {
    // Each name is asked for alone then.
  }
}

function add(keys: readonly { readonly id: string; readonly name: string }[]): void {
  names.value = new Map([...names.value, ...keys.map(({ id, name }) => [id, name] as const)]);
}
