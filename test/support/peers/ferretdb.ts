import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Output } from '../process.ts';
import { limitWrites } from '../small-disk.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../temporary-directory.ts';
import { buildWithGo, go } from './go-program.ts';

export { BUILD_MS } from './go-program.ts';

const SOURCE = join(import.meta.dir, 'ferretdb');
const MODULE = 'github.com/FerretDB/FerretDB';
/**
 * FerretDB 1.24 looks a document up by its id where a filter names nothing else, and otherwise decodes the whole collection:
 * a guarded write, a load of some ids or a page of a scan then take the longer the more there is, until nothing is answered
 * in time. `by_id.go` uses the index of ids instead, as MongoDB does, and `filters.go` lets SQLite leave out documents.
 */
const ADDED = ['sqlite/by_id.go', 'sqlite/filters.go'];
const CHANGES = [
  {
    // The index of ids has this expression. With another one SQLite reads the whole table for each id.
    file: 'internal/backends/sqlite/metadata/metadata.go',
    from: /DefaultColumn \+ "->'\$\._id'"/,
    to: 'DefaultColumn + `->"_id"`',
  },
  {
    // SQLite uses none of these indexes in a query, and parses the document once for each at every write.
    file: 'internal/backends/sqlite/metadata/registry.go',
    from: /\t\tif _, err := db\.ExecContext\(ctx, q\); err != nil \{\n\t\t\t_ = r/,
    to: '\t\tif !index.Unique {\n\t\t\tq = "SELECT 1"\n\t\t}\n\t\tif _, err := db.ExecContext(ctx, q); err != nil {\n\t\t\t_ = r',
  },
  {
    file: 'internal/backends/sqlite/metadata/registry.go',
    from: /DROP INDEX %q/,
    to: 'DROP INDEX IF EXISTS %q',
  },
  {
    file: 'internal/backends/sqlite/collection.go',
    from: /\tvar whereClause string\n[\s\S]*?args = append\(args, params\.Limit\)\n\t\}\n/,
    to: '\tclause, args := clauses(ctx, db, c.dbName, meta.TableName, params)\n\tq += clause\n',
  },
  {
    file: 'internal/backends/sqlite/collection.go',
    from: /\tmeta := c\.r\.CollectionGet\(ctx, c\.dbName, c\.name\)\n\n\terr := db\.InTransaction/,
    to: '\tmeta := c.r.CollectionGet(ctx, c.dbName, c.name)\n\tinserting(c.dbName, meta.TableName, params.Docs)\n\n\terr := db.InTransaction',
  },
  {
    file: 'internal/handler/msg_find.go',
    from: /\t\tqp\.Limit = params\.Limit\n\t\}\n/,
    to: `\t\tqp.Limit = params.Limit
\t}
\tif pageByID(params) {
\t\tqp.Limit, qp.Comment = params.Limit, sqlite.PageByID
\t}
`,
  },
  {
    file: 'internal/handler/msg_find.go',
    from: /\nimport \(\n/,
    to: '\nimport (\n\t"github.com/FerretDB/FerretDB/internal/backends/sqlite"\n',
  },
  {
    file: 'internal/handler/msg_find.go',
    from: /$/,
    to: `
func pageByID(params *common.FindParams) bool {
	if params.Limit == 0 || params.Skip != 0 || params.Sort.Len() != 1 || params.Sort.Map()["_id"] != int64(1) {
		return false
	}
	if params.Filter.Len() == 0 {
		return true
	}
	id, ok := params.Filter.Map()["_id"].(*types.Document)
	if params.Filter.Len() != 1 || !ok || id.Len() != 1 {
		return false
	}
	_, ok = id.Map()["$gt"].(string)
	return ok
}
`,
  },
] as const;

/** A process with its own data that implements MongoDB's protocol. */
export type FerretDb = AsyncDisposable & {
  /** `mongodb://127.0.0.1:12345/`: the same after a restart. */
  readonly url: string;
  /** Its data directory. */
  readonly directory: string;
  /** SIGKILL. Resolves when the process has ended. */
  kill(): Promise<void>;
  /** Starts it again on its data, after a kill. */
  restart(): Promise<void>;
  /** Kills it, removes its data, and starts it empty. */
  lose(): Promise<void>;
  /** Makes its writes fail, as on a full disk. */
  fill(): Promise<void>;
  empty(): Promise<void>;
  /** SIGSTOP: it keeps its connections and answers nothing until it is resumed. */
  pause(): void;
  resume(): void;
};

/** Builds the server. @returns the program's path @throws if Go is missing or the build fails */
export function buildFerretDb(): Promise<string> {
  return buildWithGo({
    name: 'ferretdb',
    folder: SOURCE,
    files: ['main.go', 'go.mod', 'go.sum', ...ADDED],
    mended: { how: CHANGES.map(({ file, from, to }) => `${file} ${from} ${to}`).join('\n'), modules: mendedModules },
  });
}

/** Copies FerretDB, patches it, and returns a `go.mod` that names the copy. */
async function mendedModules(directory: TemporaryDirectory): Promise<string> {
  await go(SOURCE, ['mod', 'download', MODULE]);
  const copy = directory.file('module');
  // Not `cpSync`: it would copy the read-only mode of the module's folders.
  const module = (await go(SOURCE, ['list', '-m', '-f', '{{.Dir}}', MODULE])).trim();
  for (const file of new Bun.Glob('**/*').scanSync({ cwd: module, dot: true })) {
    const source = await Bun.file(join(module, file)).bytes();
    await Bun.write(join(copy, file), source);
  }
  for (const { file, from, to } of CHANGES) {
    const source = readFileSync(join(copy, file), 'utf8');
    if (!from.test(source)) throw new Error(`${file} of FerretDB is not the one that is known here`);
    writeFileSync(
      join(copy, file),
      source.replace(from, () => to),
    );
  }
  for (const file of ADDED) copyFileSync(join(SOURCE, file), join(copy, 'internal/backends', file));
  const modules = directory.file('go.mod');
  copyFileSync(join(SOURCE, 'go.mod'), modules);
  copyFileSync(join(SOURCE, 'go.sum'), directory.file('go.sum'));
  await go(SOURCE, ['mod', 'edit', `-replace=${MODULE}=${copy}`, modules]);
  return modules;
}

/** Starts a server on a free port, with an empty directory. `await using` ends it and removes its data. */
export async function startFerretDb(): Promise<FerretDb> {
  const directory = temporaryDirectory();
  const server = await startFerretDbOn(directory.path);
  return {
    ...server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      directory.remove();
    },
  };
}

/** Starts a server on a free port, on a directory that is kept. */
export async function startFerretDbOn(directory: string): Promise<FerretDb> {
  const program = await buildFerretDb();
  let running = await run(program, '127.0.0.1:0', directory);
  const { url } = running;
  return {
    url,
    directory,
    kill: () => running.end(),
    async restart() {
      running = await run(program, url.slice('mongodb://'.length, -1), directory);
    },
    async lose() {
      await running.end();
      for (const name of readdirSync(directory)) rmSync(join(directory, name), { recursive: true });
      running = await run(program, url.slice('mongodb://'.length, -1), directory);
    },
    fill: () => limitWrites(running.pid, '0'),
    empty: () => limitWrites(running.pid, 'unlimited'),
    pause: () => standStill(running.pid),
    resume: () => process.kill(running.pid, 'SIGCONT'),
    [Symbol.asyncDispose]: () => running.end(),
  };
}

/** Waits until the process is stopped: it answers requests until the signal arrives. */
function standStill(pid: number): void {
  process.kill(pid, 'SIGSTOP');
  const threads = `/proc/${pid}/task`;
  const stopped = (thread: string): boolean => {
    // The state stands behind the name, which is in brackets.
    return /\) [TtXZ] /.test(readFileSync(join(threads, thread, 'stat'), 'latin1'));
  };
  // Without /proc there is nothing to wait for.
  while (existsSync(threads) && !readdirSync(threads).every(stopped));
}

type Running = { readonly url: string; readonly pid: number; end(): Promise<void> };

async function run(program: string, address: string, directory: string): Promise<Running> {
  // It decodes whole documents for each answer; by default garbage collection takes a third of its time.
  const env = { ...process.env, GOGC: '400' };
  const child = Bun.spawn([program, address, directory], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const [stdout, stderr] = [new Output(child.stdout), new Output(child.stderr)];
  const listening = await stdout.line(/^mongodb:\S+$/);
  if (listening === null) {
    await Promise.all([child.exited, stderr.closed]);
    throw new Error(`FerretDB did not start:\n${stderr.text}`);
  }
  return {
    url: listening[0],
    pid: child.pid,
    async end() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

if (import.meta.main) {
  const startedAt = performance.now();
  await buildFerretDb();
  // oxlint-disable-next-line no-console -- a program that reports to a terminal
  console.log(`FerretDB is built (${Math.round((performance.now() - startedAt) / 1_000)} s)`);
}
