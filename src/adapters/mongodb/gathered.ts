/**
 * Maximum number of writes per command on every server. FerretDB 1 uses one of its hundred database connections per write
 * until the command ends; more writes would wait for each other until the client's time-out.
 */
export const MOST_IN_COMMAND = 50;

/**
 * Makes one command of calls that arrive soon after one another. A command begins at once if none began within `spacingMs`;
 * calls until then share the next one. A command that is not answered delays no later one.
 *
 * @param send the results in the order of the items; if it rejects, so does each call
 */
export function gathered<Item, Result>(
  send: (items: readonly Item[]) => Promise<readonly Result[]>,
  spacingMs: number,
): (item: Item) => Promise<Result> {
  let waiting: { readonly item: Item; readonly resolve: (result: Promise<Result>) => void }[] = [];
  let nextAtMs = 0;

  function sendWaiting(): void {
    const calls = waiting;
    waiting = [];
    nextAtMs = performance.now() + spacingMs;
    for (const some of inCommands(calls)) {
      const results = send(some.map(({ item }) => item));
      for (const [place, { resolve }] of some.entries()) resolve(results.then((all) => all[place] as Result));
    }
  }

  return (item) =>
    new Promise((resolve) => {
      if (waiting.length === 0) {
        const waitMs = nextAtMs - performance.now();
        if (waitMs > 0) setTimeout(sendWaiting, waitMs);
        else setImmediate(sendWaiting);
      }
      waiting.push({ item, resolve });
    });
}

/** Divides writes into commands. */
export function* inCommands<Write>(writes: readonly Write[], most = MOST_IN_COMMAND): Generator<Write[]> {
  for (let done = 0; done < writes.length; done += most) yield writes.slice(done, done + most);
}

/** Runs at most so many calls at a time, and the others in the order of their arrival. */
export function limited(most: number): <Result>(call: () => Promise<Result>) => Promise<Result> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (call) => {
    if (running === most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await call();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
