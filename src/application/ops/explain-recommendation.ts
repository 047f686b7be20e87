import { type LogId, parseLogId } from '../../domain/ids.ts';
import { POWER_OF_MODEL } from '../../domain/recommendation/ranking-model.ts';
import type { Clock } from '../../ports/clock.ts';
import { type Explanation, explain } from '../../recommend/explanation.ts';
import { noReply, type Refused, refused } from '../refusal.ts';
import type { Streams } from '../streams.ts';

const READ_MS = 10_000;

type Explained = { readonly kind: 'explained'; readonly logId: LogId; readonly explanation: Explanation };

/** Recomputes an answer of recommend from its context log. */
export async function explainRecommendation(
  id: string,
  { streams, clock }: { readonly streams: Pick<Streams, 'recommendations'>; readonly clock: Clock },
): Promise<Explained | Refused> {
  const logId = parseLogId(id);
  if (logId === null) return unknownLog(id);
  const reply = await streams.recommendations.read(logId, clock.nowMs() + READ_MS);
  if (reply.kind === 'unavailable') return noReply(reply);
  if (reply.kind === 'erased' || reply.state.status === 'none') return unknownLog(id);
  const { facts } = reply.state;
  const explanation = explain(facts);
  if (explanation !== null) return { kind: 'explained', logId, explanation };
  const message = `The recommendation "${id}" was ranked by the model "${facts.model}"; this release recomputes ${[...POWER_OF_MODEL.keys()].join(' and ')}.`;
  return refused('NOT_FOUND', message);
}

function unknownLog(id: string): Refused {
  const message = `There is no recommendation "${id.slice(0, 80)}"; send data.context.log_id of an answer of POST /api/b2a/recommend.`;
  return refused('NOT_FOUND', message);
}
