import { useLocation } from 'preact-iso';

/** What a page shows, in the query of its address: it can be linked, and the browser's back button works. */
export type Query = Readonly<Record<string, string>>;

/** The path of a page with some parameters of its query changed; an empty text removes one. */
export function hrefWith(query: Query, change: Query, path: string = location.pathname): string {
  const merged = Object.entries({ ...query, ...change }).filter(([, value]) => value !== '');
  const text = new URLSearchParams(merged).toString();
  return text === '' ? path : `${path}?${text}`;
}

/** @returns the parameters, and a function that changes some of them; an empty text removes one */
export function useQuery(): readonly [Query, (change: Query, how?: 'replace') => void] {
  const { path, query, route } = useLocation();
  const change = (changed: Query, how?: 'replace'): void => {
    route(hrefWith(query, changed, path), how === 'replace');
  };
  return [query, change];
}
