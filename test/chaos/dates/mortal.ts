import type { EventStore } from '../../../src/ports/event-store.ts';

/** `{event type} {number}`: the process dies when so many appends with such an event are durable. */
export const DIES_AFTER = 'DIES_AFTER';

export function mortalStore<Store extends EventStore>(store: Store): Store {
  const [type = '', number = '0'] = (process.env[DIES_AFTER] ?? '').split(' ');
  if (type === '') return store;
  const append = store.append.bind(store);
  let left = Number(number);
  store.append = async (stream, expectedRevision, events) => {
    const outcome = await append(stream, expectedRevision, events);
    if (outcome.kind === 'appended' && events.some((event) => event.type.startsWith(`${type}.v`)) && --left === 0)
      process.kill(process.pid, 'SIGKILL');
    return outcome;
  };
  return store;
}
