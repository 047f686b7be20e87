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
 * Loads an answer when the page opens, when a dependency changes, after signing in again, and when a read model changes:
 * one request at a time.
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
  const latest = useRef({ of, load });
  latest.current = { of, load };
  /** `again`: it was to be loaded again while this request ran, so another one follows. Each answer is shown. */
  const running = useRef<{ again: boolean } | null>(null);
  const send = (): void => {
    const request = { again: false };
    running.current = request;
    const { of: asked, load: loadAsked } = latest.current;
    setState((before) =>
      before.of === asked ? { ...before, loading: true } : { of: asked, answer: undefined, fault: null, loading: true },
    );
    const ended = (change: Pick<State, 'fault'> & Partial<State>): void => {
      // The page shows something else by now.
      if (running.current !== request) return;
      running.current = null;
      setState((before) => ({ ...before, ...change, loading: false }));
      if (request.again) send();
    };
    loadAsked().then(
      (answer) => ended({ answer, fault: null }),
      (fault: unknown) => ended({ fault: asError(fault) }),
    );
  };
  const reload = (): void => {
    if (running.current === null) send();
    else running.current.again = true;
  };
  useEffect(() => {
    send();
    return () => {
      running.current = null;
    };
  }, [of, signIns.value]);
  useLive(live, reload);
  const { fault, loading } = state;
  return { answer: state.of === of ? state.answer : undefined, fault, loading, reload };
}

export type Page<T> = { readonly items: readonly T[]; readonly next_cursor: string | null };

/** A list of which pages are loaded one after another. */
export type Pages<T, Answer = Page<T>> = {
  /** The answer with the first page; undefined until it is there. */
  readonly first: Answer | undefined;
  readonly items: readonly T[];
  readonly fault: Error | null;
  readonly loading: boolean;
  /** Whether the list goes on. */
  readonly more: boolean;
  /** Whether the last page that was asked for had nothing. */
  readonly foundNothing: boolean;
  /** True if the list has changed since several pages of it were loaded: they stay as they are until `reload`. */
  readonly outdated: boolean;
  readonly next: () => void;
  /** Loads the first page again. */
  readonly reload: () => void;
};

/** Items that fill a screen. */
const SCREEN = 10;
/** Requests for one page. */
const MOST_REQUESTS = 3;

/** A page of a filtered list may have few items, or none, and go on: what follows is loaded with it, within bounds. */
async function loadFull<T, Others extends object>(
  load: (cursor: string | undefined) => Promise<Page<T> & Others>,
  cursor: string | undefined,
): Promise<Page<T> & Others> {
  let page = await load(cursor);
  for (let sent = 1; sent < MOST_REQUESTS && page.items.length < SCREEN && page.next_cursor !== null; sent++) {
    // Its fault is shown when the user asks for more.
    const following = await load(page.next_cursor).catch(() => null);
    if (following === null) break;
    page = { ...page, items: [...page.items, ...following.items], next_cursor: following.next_cursor };
  }
  return page;
}

/** @param loadPage loads the page of a cursor; of `undefined` the first */
export function usePages<T, Others extends object = object>(
  loadPage: (cursor: string | undefined) => Promise<Page<T> & Others>,
  dependencies: readonly unknown[],
  { live = [] }: Options = {},
): Pages<T, Page<T> & Others> {
  const of = JSON.stringify(dependencies);
  const load = (cursor: string | undefined) => loadFull(loadPage, cursor);
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
    first: first.answer,
    items: [first.answer, ...pages].flatMap((page) => page?.items ?? []),
    fault: first.fault ?? fault,
    loading: first.loading || loading,
    more: last !== undefined && last.next_cursor !== null,
    foundNothing: pages.at(-1)?.items.length === 0,
    outdated,
    next: () => void next(),
    reload: first.reload,
  };
}

export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
