import type { EventStore } from '../../../src/ports/event-store.ts';

/** `{event type} {number}`: the process dies when so many of these events are durable. One append can have several. */
export const DIES_AFTER = 'DIES_AFTER';

export function mortalStore<Store extends EventStore>(store: Store): Store {
  const [type = '', number = '0'] = (process.env[DIES_AFTER] ?? '').split(' ');
  if (type === '') return store;
  const append = store.append.bind(store);
  let left = Number(number);
  store.append = async (stream, expectedRevision, events) => {
    const outcome = await append(stream, expectedRevision, events);
    const found = outcome.kind === 'appended' ? events.filter((event) => event.type.startsWith(`${type}.v`)).length : 0;
    left -= found;
    if (found > 0 && left <= 0) process.kill(process.pid, 'SIGKILL');
    return outcome;
  };
  return store;
}
