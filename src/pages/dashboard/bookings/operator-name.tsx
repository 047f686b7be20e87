import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isOperatorId } from '../../../domain/ids.ts';
import { api, read } from '../client.ts';
import { caller, may } from '../session.ts';

const PAGE = 100;

const names = signal<ReadonlyMap<string, string>>(new Map());
/** The session for which the names were loaded. */
let loadedFor: string | null = null;

/** Who did something, by the id: operators have a name, which admins may read. */
export function OperatorName({ id }: { readonly id: string }) {
  const named = isOperatorId(id);
  useEffect(() => {
    if (named) void loadNames();
  }, [named]);
  if (!named) return <>{id === 'user' ? 'agent' : id}</>;
  const self = caller();
  const name = self?.id === id ? self.name : names.value.get(id);
  return name === undefined ? <>operator {id}</> : <span title={id}>{name}</span>;
}

async function loadNames(): Promise<void> {
  const session = caller()?.id ?? null;
  if (loadedFor === session || !may('list_operators')) return;
  loadedFor = session;
  try {
    const { items } = await read(api.operators.get({ query: { limit: PAGE } }));
    names.value = new Map(items.map(({ id, name }) => [id, name]));
  } catch {
    // The page has the ids; the next page tries again.
    loadedFor = null;
  }
}
