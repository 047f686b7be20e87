/**
 * All checks, the same locally and in CI: `bun run check`, or some steps by name: `bun run check format lint`. Every step
 * runs, also after a failed one. A step fails if it did not read every source file.
 */
import { join } from 'node:path';
import { ROOT, SOURCE_FOLDERS, sourceFiles } from './support/files.ts';
import { checkText } from './text-rules.ts';

type Run = { readonly exitCode: number; readonly output: string };
type Verdict = { readonly ok: boolean; readonly seen: string; readonly output: string };

/** A suppression that suppresses nothing is an error. */
const SUPPRESSIONS = '--report-unused-disable-directives-severity=error';

const STEPS: Readonly<Record<string, () => Promise<Verdict>>> = {
  async format() {
    const run = await program('biome', 'check', '.');
    return judged(run, sourceFiles(), Number(/^Checked (\d+) files?/m.exec(run.output)?.[1] ?? 0));
  },
  async lint() {
    const config = ['--config', 'oxlint.config.mjs'];
    const run = await program(
      'oxlint',
      ...config,
      '--type-aware',
      '--deny-warnings',
      SUPPRESSIONS,
      ...existingFolders(),
    );
    return judged(run, sourceFiles(), Number(/ on (\d+) files?\b/.exec(run.output)?.[1] ?? 0));
  },
  async types() {
    // Pages run in a browser: they are a project of their own, with the types of the DOM.
    const compiler = (project: string) => program('tsc', '-p', project, '--listFiles', '--pretty', 'false');
    const runs = [await compiler('.'), await compiler('src/pages')];
    // The output mixes errors with the list of files: absolute paths, one per line.
    const lines = runs.flatMap(({ output }) => output.split('\n'));
    const listed = lines.filter((line) => line.startsWith(`${ROOT}/`) && !line.startsWith(`${ROOT}/node_modules/`));
    const errors = lines.filter((line) => !line.startsWith('/')).join('\n');
    const exitCode = Math.max(...runs.map((run) => run.exitCode));
    return judged({ exitCode, output: errors }, sourceFiles(), new Set(listed).size);
  },
  async text() {
    const { faults, notes, sources } = checkText();
    const verdict = judged({ exitCode: faults.length, output: faults.join('\n') }, sourceFiles(), sources);
    return { ...verdict, seen: [verdict.seen, ...notes].join('\n') };
  },
  async tests() {
    const { exitCode, output } = await program('bun', 'test/run.ts');
    return { ok: exitCode === 0, seen: output.trimEnd().split('\n').at(-1) ?? '', output };
  },
};

function existingFolders(): string[] {
  const sources = sourceFiles();
  return SOURCE_FOLDERS.filter((folder) => sources.some((path) => path.startsWith(`${folder}/`)));
}

function judged({ exitCode, output }: Run, sources: readonly string[], seen: number): Verdict {
  const blind = sources.length === 0 || seen < sources.length;
  const complaint = blind ? `\nread ${seen} files, but there are ${sources.length} source files` : '';
  return { ok: exitCode === 0 && !blind, seen: `${seen} files`, output: output + complaint };
}

async function program(name: string, ...options: string[]): Promise<Run> {
  const child = Bun.spawn([join(ROOT, 'node_modules', '.bin', name), ...options], {
    cwd: ROOT,
    // In CI some tools add colours, which the patterns above do not match.
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, error] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { exitCode: await child.exited, output: Bun.stripANSI(error + out) };
}

if (import.meta.main) {
  const named = Bun.argv.slice(2);
  for (const name of named.length > 0 ? named : Object.keys(STEPS)) {
    const step = STEPS[name];
    if (step === undefined) throw new Error(`"${name}" is not a step; use one of ${Object.keys(STEPS).join(', ')}`);
    const startedAt = performance.now();
    const { ok, seen, output } = await step();
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    if (!ok) console.log(output.trimEnd());
    console.log(`${name.padEnd(7)} ${ok ? 'ok    ' : 'FAILED'} ${seconds.padStart(6)} s  ${seen}`);
    if (!ok) process.exitCode = 1;
  }
}
