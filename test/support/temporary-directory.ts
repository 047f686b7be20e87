import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory for one test. `using directory = temporaryDirectory()` removes it when the test ends. */
export type TemporaryDirectory = Disposable & {
  readonly path: string;
  /** The path of a file in it. */
  file(name: string): string;
  remove(): void;
};

export function temporaryDirectory(): TemporaryDirectory {
  const path = mkdtempSync(join(tmpdir(), 'waymark-test-'));
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  return { path, file: (name) => join(path, name), remove, [Symbol.dispose]: remove };
}
