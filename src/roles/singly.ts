import { type BeginDivided, runShared } from '../application/share-work.ts';
import { type Begin, type Begun, type LeaseContext, runUnderLease, underLease } from '../application/under-lease.ts';

/**
 * Begins work of which there is one at a time in the whole service. Resolves when the work is begun, or when it stands in
 * line for it.
 */
export type Singly = (name: string, begin: Begin) => Promise<Begun>;

/** The same of work that is divided into parts: it is shared by the nodes that call this, and each part is done by one of them. */
export type Shared = (named: { readonly name: string; readonly parts: number }, begin: BeginDivided) => Promise<Begun>;

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

/** All parts, for the one process that has the embedded stores. */
export const undivided: Shared = async ({ parts }, begin) => {
  const work = await begin(() => {});
  // Nobody waits while the log is folded. Where that ends too early, the work itself has told it.
  const taken = Promise.allSettled(Array.from({ length: parts }, (_, part) => work.takePart(part)));
  return {
    async stop() {
      await work.stop();
      await taken;
    },
  };
};

export function sharedByLeases(context: LeaseContext): Shared {
  return (named, begin) => Promise.resolve(runShared(named, begin, context));
}
