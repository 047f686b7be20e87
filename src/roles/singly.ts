import { type Begin, type Begun, type LeaseContext, runUnderLease, underLease } from '../application/under-lease.ts';

/**
 * Begins work of which there is one at a time in the whole service. Resolves when the work is begun, or when it stands in
 * line for it.
 */
export type Singly = (name: string, begin: Begin) => Promise<Begun>;

/** For the one process that has the embedded stores: it has whatever there is to have, and nobody to give it up to. */
export const alone: Singly = (_name, begin) => begin(() => {});

/** Among nodes that share the engines: whoever has the lease of that name. */
export function underLeases(context: LeaseContext): Singly {
  return (name, begin) => Promise.resolve(runUnderLease(name, begin, context));
}

/** Does work that ends by itself, one node at a time. `lost` aborts once another node may be doing it too. */
export type Exclusively = <Result>(name: string, work: (lost: AbortSignal) => Promise<Result>) => Promise<Result>;

/** For the one process that has the embedded stores. */
export const withoutOthers: Exclusively = (_name, work) => work(new AbortController().signal);

/** Among nodes that share the engines: whoever has the lease of that name; the others wait for it. */
export function inTurn(context: LeaseContext): Exclusively {
  return (name, work) => underLease(name, work, context);
}
