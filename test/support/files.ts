import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';

/** The folder that holds `package.json`. */
export const ROOT = join(import.meta.dir, '..', '..');

/** The folders of source files. */
export const SOURCE_FOLDERS = ['src', 'projections', 'migrations', 'test', 'examples'] as const;

/**
 * Every file of the project as a path from its root, sorted: what git tracks, and what it would track if asked to. Where
 * git or its folder is missing (an unpacked archive), every file that `.gitignore` does not name.
 */
export function projectFiles(root: string = ROOT): string[] {
  return (listedByGit(root) ?? walked(root)).filter((path) => isFile(join(root, path))).toSorted();
}

/** The TypeScript files in one of these folders. */
export function sourceFiles(folders: readonly string[] = SOURCE_FOLDERS, root: string = ROOT): string[] {
  return projectFiles(root).filter((path) => folders.some((folder) => path.startsWith(`${folder}/`) && isSource(path)));
}

/** Files that the linter and the compiler read; the others are assets. */
export function isSource(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path);
}

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

export function readSource(path: string, root: string = ROOT): string {
  return readFileSync(join(root, path), 'utf8');
}

/** `safe.directory`: on build machines another user often owns the checkout. */
function listedByGit(root: string): string[] | null {
  if (Bun.which('git') === null) return null;
  const listing = Bun.spawnSync(
    ['git', '-c', 'safe.directory=*', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: root, stderr: 'ignore' },
  );
  if (listing.exitCode !== 0) return null;
  return [...new Set(listing.stdout.toString().split('\0'))].filter((path) => path !== '');
}

function walked(root: string): string[] {
  const ignored = ignoredNames(root);
  const found: string[] = [];
  const visit = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      if (ignored.some((pattern) => pattern.match(entry.name))) continue;
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory()) visit(path);
      else found.push(path);
    }
  };
  visit('.');
  return found;
}

/** Our `.gitignore` contains only names of folders and patterns with a star, none with a path. */
function ignoredNames(root: string): Bun.Glob[] {
  const path = join(root, '.gitignore');
  const lines = isFile(path) ? readFileSync(path, 'utf8').split('\n') : [];
  const names = lines
    .map((line) => line.trim().replace(/\/$/, ''))
    .filter((line) => line !== '' && !line.startsWith('#'));
  return ['.git', ...names].map((name) => new Bun.Glob(name));
}
