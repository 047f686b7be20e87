import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider, type Decision, reject } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { OperatorId } from '../ids.ts';
import type { Role } from './roles.ts';

/** What an admin sets. */
export type OperatorSettings = { readonly name: string; readonly role: Role };

export type OperatorFacts = OperatorSettings & {
  readonly operatorId: OperatorId;
  /** SHA-256 of the token, hex. The token is not stored. */
  readonly hash: string;
  /** Creation time, ISO 8601 UTC. */
  readonly at: string;
};

/** These types are the storage format. Each event's cause names the admin. */
export type OperatorEvent =
  | { readonly type: 'OperatorCreated'; readonly data: OperatorFacts }
  | {
      readonly type: 'OperatorChanged';
      /** Only the settings that differ. */
      readonly data: { readonly changes: Partial<OperatorSettings>; readonly at: string };
    }
  /** The earlier token ends now. */
  | { readonly type: 'OperatorTokenRotated'; readonly data: { readonly hash: string; readonly at: string } }
  /** Final: a new operator gets another id, so that an id names one person for ever. */
  | { readonly type: 'OperatorRevoked'; readonly data: { readonly at: string } };

export type OperatorCommand =
  | { readonly type: 'CreateOperator'; readonly facts: OperatorFacts }
  | { readonly type: 'ChangeOperator'; readonly changes: Partial<OperatorSettings>; readonly at: string }
  | { readonly type: 'RotateOperatorToken'; readonly hash: string; readonly at: string }
  | { readonly type: 'RevokeOperator'; readonly at: string };

export type OperatorRejection =
  | { readonly code: 'OPERATOR_EXISTS' | 'OPERATOR_NOT_FOUND' }
  | { readonly code: 'OPERATOR_REVOKED'; readonly at: string };

export type ExistingOperator = {
  readonly facts: OperatorFacts;
  /** ISO 8601 UTC; null while the token works. */
  readonly revokedAt: string | null;
};

export type Operator = ExistingOperator | { readonly facts: null };

export const operatorDecider: Decider<OperatorCommand, Operator, OperatorEvent, OperatorRejection> = {
  initial: { facts: null },
  decide(command, operator) {
    if (command.type === 'CreateOperator') return create(command.facts, operator);
    return operator.facts === null ? reject({ code: 'OPERATOR_NOT_FOUND' }) : decideOn(operator, command);
  },
  evolve(operator, event) {
    if (event.type === 'OperatorCreated') return { facts: event.data, revokedAt: null };
    return operator.facts === null ? operator : evolveFrom(operator, event);
  },
};

export const operatorCodec = codec<OperatorEvent>('operator', {
  OperatorCreated: [],
  OperatorChanged: [],
  OperatorTokenRotated: [],
  OperatorRevoked: [],
});

type Decided = Decision<OperatorEvent, OperatorRejection>;

function create(facts: OperatorFacts, operator: Operator): Decided {
  if (operator.facts === null) return accept({ type: 'OperatorCreated', data: facts });
  return operator.facts.hash === facts.hash ? accept() : reject({ code: 'OPERATOR_EXISTS' });
}

function decideOn(
  { facts, revokedAt }: ExistingOperator,
  command: Exclude<OperatorCommand, { type: 'CreateOperator' }>,
): Decided {
  const { at } = command;
  if (command.type === 'RevokeOperator')
    return revokedAt === null ? accept({ type: 'OperatorRevoked', data: { at } }) : accept();
  if (revokedAt !== null) return reject({ code: 'OPERATOR_REVOKED', at: revokedAt });
  switch (command.type) {
    case 'ChangeOperator': {
      const { name = facts.name, role = facts.role } = command.changes;
      const changes = { ...(name === facts.name ? {} : { name }), ...(role === facts.role ? {} : { role }) };
      return Object.keys(changes).length === 0 ? accept() : accept({ type: 'OperatorChanged', data: { changes, at } });
    }
    case 'RotateOperatorToken': {
      const { hash } = command;
      return hash === facts.hash ? accept() : accept({ type: 'OperatorTokenRotated', data: { hash, at } });
    }
    default:
      return unreachable(command);
  }
}

function evolveFrom(
  operator: ExistingOperator,
  event: Exclude<OperatorEvent, { type: 'OperatorCreated' }>,
): ExistingOperator {
  const { facts } = operator;
  switch (event.type) {
    case 'OperatorChanged':
      return { ...operator, facts: { ...facts, ...event.data.changes } };
    case 'OperatorTokenRotated':
      return { ...operator, facts: { ...facts, hash: event.data.hash } };
    case 'OperatorRevoked':
      return { ...operator, revokedAt: event.data.at };
    default:
      return unreachable(event);
  }
}
