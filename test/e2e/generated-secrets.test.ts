import { expect, test } from 'bun:test';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startProgram } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { holding, sought } from './secrets/search.ts';

const PATIENCE_MS = 120_000;

test(
  'in production generated secrets are in their files, and the log names these',
  async () => {
    using room = temporaryDirectory();
    const DATA_DIR = room.file('data');
    const own = { DATA_DIR, PORT: '0', NODE_ENV: 'production', TRUSTED_PROXIES: '127.0.0.1' };
    await using program = startProgram(['serve'], own);
    const named = await program.stdout.line(/^\{.*"secrets generated".*\}$/);
    expect(await program.stdout.line(/"listening"/)).not.toBeNull();
    await program.terminate();
    const names = ['secret-key', 'admin-token', 'analyst-token'];
    expect(JSON.parse(named?.[0] ?? '{}')).toMatchObject({ files: names.map((name) => join(DATA_DIR, name)) });
    const log = [{ name: 'log', bytes: Buffer.from(program.stdout.text + program.stderr.text) }];
    for (const name of names) {
      const secret = readFileSync(join(DATA_DIR, name), 'utf8');
      expect(secret).toMatch(/^[0-9a-f]{64}$/);
      expect((statSync(join(DATA_DIR, name)).mode & 0o777).toString(8)).toBe('600');
      expect(holding(sought(name, secret), log)).toEqual([]);
    }
    expect(existsSync(join(DATA_DIR, 'demo.json'))).toBe(false);
  },
  PATIENCE_MS,
);
