import { describe } from 'bun:test';
import { collections } from './read-model-store/collections.ts';
import { finding } from './read-model-store/finding.ts';
import { lists } from './read-model-store/lists.ts';
import { refusing } from './read-model-store/refusing.ts';
import { eachInScene, type OpenedReadModelStore } from './read-model-store/scene.ts';
import { sharing } from './read-model-store/sharing.ts';
import { writing } from './read-model-store/writing.ts';

/**
 * The contract of the port ReadModelStore. Guarantees of only one engine are tested beside its adapter.
 *
 * @param open opens an empty store for one test
 */
export function readModelStoreContract(name: string, open: () => Promise<OpenedReadModelStore>): void {
  describe(`the read model store contract: ${name}`, () => {
    const scene = eachInScene(open);
    collections(scene);
    writing(scene);
    finding(scene);
    lists(scene);
    sharing(scene);
    refusing(scene);
  });
}
