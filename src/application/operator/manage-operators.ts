import { encodeBase32 } from '../../domain/base32.ts';
import type { OperatorId } from '../../domain/ids.ts';
import type {
  ExistingOperator,
  OperatorCommand,
  OperatorRejection,
  OperatorSettings,
} from '../../domain/operator/operator.ts';
import { type Cause, type Position, unreachable } from '../../eventsourcing/message.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Digest } from '../../ports/digest.ts';
import type { Ids } from '../../ports/ids.ts';
import { secretHash } from '../identifiers.ts';
import { noReply, type Refused, refused, serviceUnavailable } from '../refusal.ts';
import type { Streams } from '../streams.ts';

const TOKEN_BYTES = 32;
const ID_BYTES = 10;
const DECISION_MS = 10_000;

export type OperatorsContext = {
  readonly streams: Pick<Streams, 'operators'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly digest: Digest;
};

/** An operator after a command. `position` is null if nothing changed. */
export type ChangedOperator = {
  readonly kind: 'done';
  readonly operator: ExistingOperator;
  readonly position: Position | null;
};

/** `wmo_` and 64 hex characters. Returned only once; only its SHA-256 is stored. */
type NewToken = { readonly token: string };

/** Creates an operator. Names may repeat: the id names the person. */
export async function createOperator(
  settings: OperatorSettings,
  cause: Cause,
  context: OperatorsContext,
): Promise<(ChangedOperator & NewToken) | Refused> {
  const operatorId = `op_${encodeBase32(context.ids.secret(ID_BYTES)).toLowerCase()}` as OperatorId;
  const { token, hash } = newToken(context);
  const facts = { ...settings, operatorId, hash, at: cause.at };
  const done = await handleCommand(operatorId, { type: 'CreateOperator', facts }, cause, context);
  return done.kind === 'refused' ? done : { ...done, token };
}

/** Settings that are not named stay. */
export function changeOperator(
  operatorId: string,
  changes: Partial<OperatorSettings>,
  cause: Cause,
  context: OperatorsContext,
): Promise<ChangedOperator | Refused> {
  return handleCommand(operatorId, { type: 'ChangeOperator', changes, at: cause.at }, cause, context);
}

/** Replaces the operator's token; the earlier one ends at once. */
export async function rotateOperatorToken(
  operatorId: string,
  cause: Cause,
  context: OperatorsContext,
): Promise<(ChangedOperator & NewToken) | Refused> {
  const { token, hash } = newToken(context);
  const done = await handleCommand(operatorId, { type: 'RotateOperatorToken', hash, at: cause.at }, cause, context);
  return done.kind === 'refused' ? done : { ...done, token };
}

/** Ends the operator's token for good. */
export function revokeOperator(
  operatorId: string,
  cause: Cause,
  context: OperatorsContext,
): Promise<ChangedOperator | Refused> {
  return handleCommand(operatorId, { type: 'RevokeOperator', at: cause.at }, cause, context);
}

async function handleCommand(
  operatorId: string,
  command: OperatorCommand,
  cause: Cause,
  { streams, clock }: OperatorsContext,
): Promise<ChangedOperator | Refused> {
  if (!/^op_[0-9a-z]+$/.test(operatorId)) return operatorNotFound(operatorId);
  const reply = await streams.operators.handle(operatorId, command, cause, clock.nowMs() + DECISION_MS);
  if (reply.kind === 'unavailable') return noReply(reply);
  if (reply.kind === 'rejected') return refusalOf(reply.rejection, operatorId);
  if (reply.kind === 'erased' || reply.state.facts === null) return operatorNotFound(operatorId);
  return { kind: 'done', operator: reply.state, position: reply.position };
}

function refusalOf(rejection: OperatorRejection, operatorId: string): Refused {
  switch (rejection.code) {
    case 'OPERATOR_NOT_FOUND':
      return operatorNotFound(operatorId);
    case 'OPERATOR_EXISTS':
      // Ids have 80 random bits.
      return serviceUnavailable('contended', { call: `command to operator-${operatorId}, which exists` });
    case 'OPERATOR_REVOKED':
      return refused(
        'INVALID_REQUEST',
        `The operator "${operatorId}" was revoked at ${rejection.at}, for good; create another operator.`,
      );
    default:
      return unreachable(rejection);
  }
}

function operatorNotFound(operatorId: string): Refused {
  const ofSettings = operatorId === 'admin' || operatorId === 'analyst';
  return refused(
    'NOT_FOUND',
    ofSettings
      ? `The operator "${operatorId}" is the token of WAYMARK_${operatorId.toUpperCase()}_TOKEN; change it in the settings.`
      : `There is no operator with the id "${operatorId.slice(0, 80)}"; GET /api/operators lists them.`,
  );
}

function newToken({ ids, digest }: OperatorsContext): NewToken & { readonly hash: string } {
  const token = `wmo_${Buffer.from(ids.secret(TOKEN_BYTES)).toString('hex')}`;
  return { token, hash: secretHash(digest, token) };
}
