import type { LeftOut, ParkedItem } from '../eventsourcing/parked.ts';
import { StoreUnavailable } from '../ports/store-unavailable.ts';
import type { Parking } from '../runtime/parking.ts';

/** A call that a thread makes to the parking of the main thread. */
export type ParkingQuestion = { readonly kind: 'parking'; readonly number: number; readonly reader: string } & (
  | { readonly call: 'load' }
  | { readonly call: 'park'; readonly leftOut: LeftOut }
  | { readonly call: 'resumed'; readonly item: string }
);

export type ParkingAnswer = { readonly kind: 'parking-answer'; readonly number: number } & (
  | { readonly outcome: 'items'; readonly items: readonly ParkedItem[] }
  | { readonly outcome: 'parked' | 'full' }
  /** Nothing was recorded: the call can be repeated. */
  | { readonly outcome: 'failed'; readonly reason: string }
);

/** Answers a thread's call. */
export async function answerTo(asked: ParkingQuestion, parking: Parking): Promise<ParkingAnswer> {
  const { number, reader } = asked;
  const answer = { kind: 'parking-answer', number } as const;
  try {
    switch (asked.call) {
      case 'load':
        return { ...answer, outcome: 'items', items: [...(await parking.load(reader)).values()] };
      case 'park':
        return { ...answer, outcome: await parking.park(reader, asked.leftOut) };
      default:
        await parking.resumed(reader, asked.item);
        return { ...answer, outcome: 'parked' };
    }
  } catch (fault) {
    return { ...answer, outcome: 'failed', reason: String(fault) };
  }
}

type Question = ParkingQuestion extends infer Q ? (Q extends unknown ? Omit<Q, 'kind' | 'number'> : never) : never;

/** The parking of a thread that cannot append: it asks the main thread. */
export function parkingByMessages(
  send: (asked: ParkingQuestion) => void,
): Parking & { answered(answer: ParkingAnswer): void } {
  const waiting = new Map<number, (answer: ParkingAnswer) => void>();
  let asked = 0;
  const ask = async (question: Question): Promise<ParkingAnswer> => {
    const number = asked++;
    const answered = new Promise<ParkingAnswer>((resolve) => waiting.set(number, resolve));
    send({ kind: 'parking', number, ...question });
    const answer = await answered;
    if (answer.outcome === 'failed') throw new StoreUnavailable('event store', answer.reason);
    return answer;
  };
  return {
    async load(reader) {
      const answer = await ask({ call: 'load', reader });
      return new Map(answer.outcome === 'items' ? answer.items.map((item) => [item.id, item]) : []);
    },
    async park(reader, leftOut) {
      return (await ask({ call: 'park', reader, leftOut })).outcome === 'full' ? 'full' : 'parked';
    },
    async resumed(reader, item) {
      await ask({ call: 'resumed', reader, item });
    },
    answered(answer) {
      waiting.get(answer.number)?.(answer);
      waiting.delete(answer.number);
    },
  };
}
