import type { MongoClient } from 'mongodb';

export type StuckSockets = { stop(): void };

/**
 * Connects a client anew where one of its sockets is stuck. Under Bun, a socket that is being connected while its server
 * is killed may never tell what became of it, nor keep to the driver's own time-outs: the driver then waits for the
 * answer to that heartbeat for ever, and finds no server however long it has been back. Calls under way end as they do
 * where the server goes away.
 *
 * @param withinMs longer than the driver itself waits for a connection, or for the answer to a heartbeat
 */
export function watchForStuckSockets(client: MongoClient, withinMs: number): StuckSockets {
  const open = new Map<string, ReturnType<typeof setTimeout>>();
  let [reviving, stopped] = [false, false];

  function forget(): void {
    for (const timer of open.values()) clearTimeout(timer);
    open.clear();
  }

  async function revive(): Promise<void> {
    if (reviving || stopped) return;
    reviving = true;
    forget();
    // A client that was closed does not connect by itself at the next call.
    for (let connected = false; !connected && !stopped; ) connected = await connectedAnew();
    reviving = false;
  }

  async function connectedAnew(): Promise<boolean> {
    try {
      await client.close();
      await client.connect();
      return true;
    } catch {
      return false;
    }
  }

  function begun(what: string, ms: number): void {
    ended(what);
    const timer = setTimeout(() => void revive(), ms);
    timer.unref();
    open.set(what, timer);
  }

  function ended(what: string): void {
    clearTimeout(open.get(what));
    open.delete(what);
  }

  const heartbeatOf = (address: string): string => `heartbeat ${address}`;
  const connectionOf = (address: string, id: number | '<monitor>'): string => `connection ${id} ${address}`;
  client.on('serverHeartbeatStarted', ({ connectionId, awaited }) => {
    // A server that knows how is asked to answer only when there is news, or after this.
    const quietMs = awaited ? client.options.heartbeatFrequencyMS : 0;
    begun(heartbeatOf(connectionId), withinMs + quietMs);
  });
  client.on('serverHeartbeatSucceeded', ({ connectionId }) => ended(heartbeatOf(connectionId)));
  client.on('serverHeartbeatFailed', ({ connectionId }) => ended(heartbeatOf(connectionId)));
  client.on('connectionCreated', ({ address, connectionId }) => begun(connectionOf(address, connectionId), withinMs));
  client.on('connectionReady', ({ address, connectionId }) => ended(connectionOf(address, connectionId)));
  client.on('connectionClosed', ({ address, connectionId }) => ended(connectionOf(address, connectionId)));
  client.on('topologyClosed', forget);
  return {
    stop() {
      stopped = true;
      forget();
    },
  };
}
