import { useEffect, useRef, useState } from 'preact/hooks';
import { useLive } from './live.ts';
import { signIns } from './session.ts';

/** `live`: read models (collections without version) whose changes load the answer again. */
type Options = { readonly live?: readonly string[] };

/** `answer` stays the last one while a newer one is loaded, and after a fault. */
export type Loaded<T> = {
  readonly answer: T | undefined;
  readonly fault: Error | null;
  readonly loading: boolean;
  readonly reload: () => void;
};

/**
 * Loads an answer when the page opens, when a dependency changes, after signing in again, and when a read model changes.
 *
 * @param dependencies values that `load` uses
 */
export function useAnswer<T>(
  load: () => Promise<T>,
  dependencies: readonly unknown[],
  { live = [] }: Options = {},
): Loaded<T> {
  type State = {
    readonly of: string;
    readonly answer: T | undefined;
    readonly fault: Error | null;
    readonly loading: boolean;
  };
  const of = JSON.stringify(dependencies);
  const [state, setState] = useState<State>({ of, answer: undefined, fault: null, loading: true });
  const asked = useRef(0);
  const reload = (): void => {
    asked.current += 1;
    const number = asked.current;
    const set = (change: (before: State) => State): void => {
      // A later request was sent.
      if (number === asked.current) setState(change);
    };
    set((before) => ({ ...before, answer: before.of === of ? before.answer : undefined, of, loading: true }));
    load().then(
      (answer) => set(() => ({ of, answer, fault: null, loading: false })),
      (fault: unknown) => set((before) => ({ ...before, fault: asError(fault), loading: false })),
    );
  };
  useEffect(() => {
    reload();
    return () => {
      asked.current += 1;
    };
  }, [of, signIns.value]);
  useLive(live, reload);
  const { answer, fault, loading } = state;
  return { answer, fault, loading, reload };
}

export type Page<T> = { readonly items: readonly T[]; readonly next_cursor: string | null };

/** A list of which pages are loaded one after another. */
export type Pages<T> = {
  readonly items: readonly T[];
  readonly fault: Error | null;
  readonly loading: boolean;
  /** Whether the list goes on. */
  readonly more: boolean;
  /** True if the list has changed since several pages of it were loaded: they stay as they are until `reload`. */
  readonly outdated: boolean;
  readonly next: () => void;
  /** Loads the first page again. */
  readonly reload: () => void;
};

/** @param load loads the page of a cursor; of `undefined` the first */
export function usePages<T>(
  load: (cursor: string | undefined) => Promise<Page<T>>,
  dependencies: readonly unknown[],
  { live = [] }: Options = {},
): Pages<T> {
  const of = JSON.stringify(dependencies);
  type More = { readonly of: unknown; readonly pages: readonly Page<T>[] };
  const first = useAnswer(() => load(undefined), dependencies);
  const [later, setLater] = useState<More>({ of: null, pages: [] });
  const [fault, setFault] = useState<Error | null>(null);
  const [loading, setLoading] = useState(false);
  const [outdated, setOutdated] = useState(false);
  // Pages continue one first page: they are dropped with it.
  const pages = later.of === first.answer ? later.pages : [];
  const last = pages.at(-1) ?? first.answer;
  useEffect(() => {
    setOutdated(false);
    setFault(null);
  }, [of, first.answer]);
  useLive(live, () => {
    if (pages.length > 0) setOutdated(true);
    else first.reload();
  });
  const next = async (): Promise<void> => {
    const start = first.answer;
    if (loading || start === undefined || last?.next_cursor === null || last === undefined) return;
    setLoading(true);
    try {
      const page = await load(last.next_cursor);
      setLater((before) => ({ of: start, pages: [...(before.of === start ? before.pages : []), page] }));
      setFault(null);
    } catch (thrown) {
      setFault(asError(thrown));
    }
    setLoading(false);
  };
  return {
    items: [first.answer, ...pages].flatMap((page) => page?.items ?? []),
    fault: first.fault ?? fault,
    loading: first.loading || loading,
    more: last !== undefined && last.next_cursor !== null,
    outdated,
    next: () => void next(),
    reload: first.reload,
  };
}

export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
