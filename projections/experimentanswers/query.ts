import type { ExperimentId } from '../../src/domain/experiment/experiment.ts';
import { type Cursor, MAX_PAGE, type ReadModelStore } from '../../src/ports/read-model-store.ts';
import type { ExperimentAnswers } from './read-model.ts';

/** The answers of an arm, and how many of them led to a booking, a confirmed one and a visit. */
export type ArmCounts = {
  readonly answers: number;
  readonly booked: number;
  readonly confirmed: number;
  readonly visited: number;
};

const NONE: ArmCounts = { answers: 0, booked: 0, confirmed: 0, visited: 0 };

/** The counts of each arm that has answers, by its name. Reads a document for each booked answer. */
export async function countArms(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  experimentId: ExperimentId,
): Promise<ReadonlyMap<string, ArmCounts>> {
  const arms = new Map<string, ArmCounts>();
  let after: Cursor | null = null;
  do {
    const page = await readModels.find(collection, {
      where: { experimentId },
      limit: MAX_PAGE,
      ...(after !== null && { after }),
    });
    for (const item of page.items) {
      // Only the projection's fold writes documents to this collection.
      const doc = item.doc as ExperimentAnswers;
      arms.set(doc.arm, withDocument(arms.get(doc.arm) ?? NONE, doc));
    }
    after = page.next;
    // Let the event loop answer other requests between two reads.
    await new Promise<void>((resolve) => setImmediate(resolve));
  } while (after !== null);
  return arms;
}

function withDocument({ answers, booked, confirmed, visited }: ArmCounts, doc: ExperimentAnswers): ArmCounts {
  if (doc.kind === 'arm') return { answers: answers + doc.answers, booked, confirmed, visited };
  return {
    answers,
    booked: booked + 1,
    confirmed: confirmed + (doc.confirmed ? 1 : 0),
    visited: visited + (doc.visits > 0 ? 1 : 0),
  };
}

/** The number of answers of each of the arms, by the ids of their documents. */
export async function answersOf(
  readModels: Pick<ReadModelStore, 'load'>,
  collection: string,
  ids: readonly string[],
): Promise<readonly number[]> {
  const found = await readModels.load(collection, ids);
  return ids.map((id) => {
    // Only the projection's fold writes documents to this collection.
    const doc = (found.get(id)?.doc ?? null) as ExperimentAnswers | null;
    return doc?.kind === 'arm' ? doc.answers : 0;
  });
}
