import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../../package.json' with { type: 'json' };
import { ROOT, readSource } from '../../support/files.ts';
import { all, copyOf, dockerfile, execForm, only, pairsOf, stagesOf } from './dockerfile.ts';

const { packages, image } = dockerfile();

describe('the Dockerfile', () => {
  test('pins the version of each base image', () => {
    expect([only(packages, 'FROM'), only(image, 'FROM')]).toEqual([
      expect.stringMatching(/^node:\d+\.\d+\.\d+-bookworm-slim AS packages$/),
      expect.stringMatching(/^debian:12\.\d+-slim$/),
    ]);
  });

  test('installs like package.json, without development dependencies', () => {
    const [install] = all(packages, 'RUN');
    expect(install).toBe(`${packageJson.scripts.prestart} --production --omit=peer`);
    expect(install).toContain(`bun@${packageJson.dependencies.bun} `);
  });

  test('copies existing files, and .dockerignore permits exactly those', () => {
    const copied = all(packages, 'COPY').flatMap((text) => copyOf(text).sources);
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const taken = [...readSource('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path = '']) => path);
    expect(taken.toSorted()).toEqual(copied.toSorted());
    expect(all(image, 'COPY')).toEqual(['--from=packages /app ./']);
  });

  test('runs as a user who owns only the data directory', () => {
    const [uid, gid] = only(image, 'USER').split(':').map(Number);
    expect([uid, gid]).toEqual([10_001, 10_001]);
    expect(only(image, 'RUN')).toContain(
      `install --directory --owner=${uid} --group=${gid} --mode=700 ${only(image, 'VOLUME')}`,
    );
    expect(pairsOf(only(image, 'ENV'))['DATA_DIR']).toBe(only(image, 'VOLUME'));
    expect(image.at(-1)?.name).toBe('CMD');
  });

  test('runs the service as process 1, so that it receives SIGTERM', () => {
    expect(execForm(only(image, 'ENTRYPOINT'))).toEqual(['/app/node_modules/.bin/bun', '/app/src/main.ts']);
    expect(execForm(only(image, 'CMD'))).toEqual(['serve']);
    expect(only(image, 'STOPSIGNAL')).toBe('SIGTERM');
    expect(only(image, 'HEALTHCHECK')).toMatch(/^(--[\w-]+=\S+ )+CMD \["/);
  });

  test('agrees with package.json', () => {
    const { version, description, license } = packageJson;
    expect(pairsOf(only(image, 'LABEL'))).toEqual({
      'org.opencontainers.image.title': 'Waymark',
      'org.opencontainers.image.description': description,
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.licenses': license,
    });
  });

  test('is parsed with comments, continued lines and stages', () => {
    expect(stagesOf('# c\nFROM a:1 AS b\nRUN x \\\n && y\n\nFROM c\n  # indented is text\nENV A=1')).toEqual([
      [
        { name: 'FROM', text: 'a:1 AS b' },
        { name: 'RUN', text: 'x && y' },
      ],
      [
        { name: 'FROM', text: 'c' },
        { name: 'ENV', text: 'A=1' },
      ],
    ]);
  });
});
