import type { Log } from '../../ports/log.ts';
import { StoreRefused } from '../../ports/store-refused.ts';
import type { Connection } from './connection.ts';

/** Year and month of a release. */
type Release = readonly [number, number];

/** Oldest and newest release that Waymark is tested with (docs/decisions/0025). */
const OLDEST: Release = [24, 2];
const NEWEST: Release = [24, 10];

/**
 * `unnumbered`: a server built from source without a release number, which reports 0.0.0. `unreadable`: the server
 * reports no version, or a malformed one.
 */
type VersionVerdict = 'supported' | 'newer' | 'older' | 'unnumbered' | 'unreadable';

/** @param version as reported by servers: `24.2.0.0`, `24.10.4`, `23.10.0-rc1`; null if the server reports none */
export function judgeVersion(version: string | null): VersionVerdict {
  const [, year, month] = /^v?(\d+)\.(\d+)(?:$|[.+-])/.exec(version ?? '') ?? [];
  if (year === undefined || month === undefined) return 'unreadable';
  const release: Release = [Number(year), Number(month)];
  if (release[0] === 0) return 'unnumbered';
  if (compare(release, OLDEST) < 0) return 'older';
  return compare(release, NEWEST) > 0 ? 'newer' : 'supported';
}

/** The version of the connected server. */
export class ServerVersion {
  readonly #connection: Pick<Connection, 'channel' | 'serverVersion'>;
  readonly #log: Log;
  /** The connection that it was last read over. */
  #channel: unknown = null;
  #version: string | null = null;

  constructor(connection: Pick<Connection, 'channel' | 'serverVersion'>, log: Log) {
    this.#connection = connection;
    this.#log = log;
  }

  /** Reads and logs the version. @throws StoreRefused if Waymark does not support it */
  async check(): Promise<void> {
    this.#channel = await this.#connection.channel();
    this.#version = await this.#connection.serverVersion();
    this.#log.info('event store version', { version: this.#version });
    assertSupported(this.#version);
    this.#warnUnlessTested();
  }

  /**
   * Reads the version again after a reconnection, as during a rolling upgrade, and logs a change. An unsupported
   * version is only logged, since this node is running already.
   */
  async follow(): Promise<void> {
    try {
      const channel = await this.#connection.channel();
      if (channel === this.#channel) return;
      this.#channel = channel;
      const version = await this.#connection.serverVersion();
      if (version === this.#version) return;
      this.#log.info('event store version', { version, before: this.#version });
      this.#version = version;
      this.#warnUnlessTested();
    } catch {
      // The next call reads it; other checks report an unavailable server.
      this.#channel = null;
    }
  }

  #warnUnlessTested(): void {
    if (judgeVersion(this.#version) === 'supported') return;
    const tested = { oldest: text(OLDEST), newest: text(NEWEST) };
    this.#log.warn('event store version is not one that Waymark is tested with', { version: this.#version, ...tested });
  }
}

function assertSupported(version: string | null): void {
  const verdict = judgeVersion(version);
  if (verdict !== 'older' && verdict !== 'unreadable') return;
  const found =
    verdict === 'older' ? `is version ${version}` : `says no version that can be read, but ${JSON.stringify(version)}`;
  throw new StoreRefused(
    'event store',
    `the event store ${found}; Waymark needs EventStoreDB ${text(OLDEST)} or later`,
  );
}

function compare(left: Release, right: Release): number {
  return left[0] - right[0] || left[1] - right[1];
}

function text([year, month]: Release): string {
  return `${year}.${month}`;
}
