import type { Clock } from '../../src/ports/clock.ts';
import type { Leases, Leasing } from '../../src/ports/leases.ts';
import type { LeaseContext } from '../../src/runtime/node-leases.ts';

/** A clock check that never fails. */
export const rightClock: LeaseContext['clockCheck'] = {
  off: new AbortController().signal,
  right: () => Promise.resolve(),
  confirm: () => Promise.resolve(),
};

/** Leases whose holder a test sets, and which can be unavailable or silent. */
export type ScriptedLeases = Leases & {
  /** The holder of a lease; null if free. */
  holder(name: string): string | null;
  /** Gives the lease to another node. */
  takeAway(name: string): void;
  /** Ends the lease of its holder. */
  free(name: string): void;
  /** How often the lease was taken or renewed. */
  takings(name: string): number;
  /** The names of each call of `renew`. */
  readonly renewals: readonly (readonly string[])[];
  /** The names of each call of `held`. */
  readonly looks: readonly (readonly string[])[];
  /** While it is `away` every call is rejected, while it is `silent` none is answered. */
  state: 'there' | 'away' | 'silent';
};

const SOMEBODY_ELSE = 'somebody else';

export function scriptedLeases(clock: Clock): ScriptedLeases {
  const holders = new Map<string, string>();
  const tokens = new Map<string, number>();
  const takings = new Map<string, number>();
  const [renewals, looks] = [[] as (readonly string[])[], [] as (readonly string[])[]];
  const leases: ScriptedLeases = {
    state: 'there',
    holder: (name) => holders.get(name) ?? null,
    takeAway: (name) => void holders.set(name, SOMEBODY_ELSE),
    free: (name) => void holders.delete(name),
    takings: (name) => takings.get(name) ?? 0,
    renewals,
    looks,
    async take({ name, holder, ttlMs }): Promise<Leasing> {
      if (leases.state === 'silent') return new Promise(() => {});
      if (leases.state === 'away') throw new Error('the leases do not answer');
      const untilMs = clock.nowMs() + ttlMs;
      const before = holders.get(name);
      if (before !== undefined && before !== holder) return { kind: 'lost', holder: before, untilMs };
      if (before === undefined) tokens.set(name, (tokens.get(name) ?? 0) + 1);
      holders.set(name, holder);
      takings.set(name, (takings.get(name) ?? 0) + 1);
      return { kind: before === undefined ? 'acquired' : 'renewed', token: tokens.get(name) ?? 0, untilMs };
    },
    async renew(held, { holder, ttlMs }) {
      if (leases.state === 'silent') return new Promise(() => {});
      renewals.push(held.map(({ name }) => name));
      if (leases.state === 'away') throw new Error('the leases do not answer');
      const ours = held.filter(({ name, token }) => holders.get(name) === holder && tokens.get(name) === token);
      for (const { name } of ours) takings.set(name, (takings.get(name) ?? 0) + 1);
      const lost = held.filter((one) => !ours.includes(one)).map(({ name }) => name);
      return { untilMs: clock.nowMs() + ttlMs, lost: new Set(lost) };
    },
    async held(names) {
      looks.push(names);
      if (leases.state === 'silent') return new Promise(() => {});
      if (leases.state === 'away') throw new Error('the leases do not answer');
      return names.flatMap((name) => {
        const holder = holders.get(name);
        return holder === undefined ? [] : [{ name, holder }];
      });
    },
    list: () =>
      Promise.resolve([...holders].map(([name, holder]) => ({ name, holder, sinceMs: null, untilMs: clock.nowMs() }))),
    async release({ name, holder, token }) {
      if (leases.state === 'away') throw new Error('the leases do not answer');
      if (holders.get(name) === holder && tokens.get(name) === token) holders.delete(name);
    },
    close: () => Promise.resolve(),
  };
  return leases;
}
