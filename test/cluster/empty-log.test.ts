import { expect, test } from 'bun:test';
import type { Journey } from '../../src/cli/journey/journey.ts';
import type { StepResult } from '../../src/cli/journey/step.ts';
import { CATALOGUE_DIRECTORY } from '../../src/supply/catalogue-file.ts';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { runProgram } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ADMIN_TOKEN, startCluster } from './cluster.ts';

const JOURNEY_MS = 120_000;

test(
  'the journey passes on the first start with an empty EventStoreDB',
  async () => {
    await using cluster = await startCluster();
    using directory = temporaryDirectory();
    const settings = { CATALOGUE_DIR: CATALOGUE_DIRECTORY, DATA_DIR: directory.path, SMTP_URL: '', PUBLIC_URL: '' };
    const node = await cluster.start('all', settings);
    const played = await runProgram(['journey', '--url', node.url, '--json'], {
      DATA_DIR: directory.path,
      WAYMARK_ADMIN_TOKEN: ADMIN_TOKEN,
    });
    const journey = JSON.parse(played.stdout) as Journey & { readonly steps: readonly StepResult[] };
    expect(journey.steps.filter(({ outcome }) => outcome === 'differs')).toEqual([]);
    expect(played.exitCode).toBe(0);
    expect(journey.kept).toBeGreaterThan(25);
    const projections = await fetch(`${node.url}/api/ops/projections`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    const { data } = (await projections.json()) as { data: { items: { position: string }[] } };
    expect(data.items.filter(({ position }) => BigInt(position.split('/')[0] ?? '') >= 2n ** 63n)).toEqual([]);
  },
  BUILD_MS + JOURNEY_MS,
);
