import type { MongoClient } from 'mongodb';

/**
 * Reconnects a client if one of its sockets is stuck. Under Bun, a socket whose server is killed while it connects may
 * emit no event and ignore the driver's time-outs: the driver then waits for that heartbeat forever and does not find
 * the server when it is back. Running calls end as if the server became unavailable.
 *
 * @param withinMs longer than the driver's own time-outs for connections and heartbeats
 */
export function watchForStuckSockets(client: MongoClient, withinMs: number): { stop(): void } {
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
    // A closed client does not reconnect at the next call.
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

  function started(what: string, ms: number): void {
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
    // Servers with streaming heartbeats answer only on a change, or after this time.
    const quietMs = awaited ? client.options.heartbeatFrequencyMS : 0;
    started(heartbeatOf(connectionId), withinMs + quietMs);
  });
  client.on('serverHeartbeatSucceeded', ({ connectionId }) => ended(heartbeatOf(connectionId)));
  client.on('serverHeartbeatFailed', ({ connectionId }) => ended(heartbeatOf(connectionId)));
  client.on('connectionCreated', ({ address, connectionId }) => started(connectionOf(address, connectionId), withinMs));
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
