import { useLocation } from 'preact-iso';

/** What a page shows, in the query of its address: it can be linked, and the browser's back button works. */
export type Query = Readonly<Record<string, string>>;

/** @returns the parameters, and a function that changes some of them; an empty text removes one */
export function useQuery(): readonly [Query, (change: Query, how?: 'replace') => void] {
  const { path, query, route } = useLocation();
  const change = (changed: Query, how?: 'replace'): void => {
    const merged = Object.entries({ ...query, ...changed }).filter(([, value]) => value !== '');
    const text = new URLSearchParams(merged).toString();
    route(text === '' ? path : `${path}?${text}`, how === 'replace');
  };
  return [query, change];
}
