import { noLeader, notLeader } from './errors.mjs';

/**
 * @typedef {'leader' | 'follower' | 'read-only-replica' | 'unknown'} Role
 * @typedef {{ host: string, port: number, role: Role, alive: boolean }} Member
 * @typedef {import('@grpc/grpc-js').Metadata} Metadata
 */

/** The cluster as this node sees it: by default a single node, which is the leader. */
export class Cluster {
  /** @type {Member[]} */
  members = [];
  #self;

  /** @param {{ host: string, port: number }} self */
  constructor(self) {
    this.#self = self;
    this.members = [{ ...self, role: 'leader', alive: true }];
  }

  /** @param {readonly Member[]} members all of them, this node included; at most one leads */
  become(members) {
    this.members = [...members];
  }

  /** Why this node takes no writes; null where it leads. */
  refusesWrites() {
    const leader = this.members.find(({ role, alive }) => role === 'leader' && alive);
    if (leader === undefined) return noLeader();
    return leader.host === this.#self.host && leader.port === this.#self.port ? null : notLeader(leader);
  }

  /** Why this node does not answer a read: only where the reader insists on the leader. @param {Metadata} metadata */
  refusesReads(metadata) {
    return metadata.get('requires-leader')[0] === 'true' ? this.refusesWrites() : null;
  }
}
