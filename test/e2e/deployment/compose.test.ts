import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { copyFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, readSource } from '../../support/files.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** Compiling compose-go from nothing, on a slow core. */
const BUILD_MS = 300_000;

const tools = temporaryDirectory();
const loader = tools.file('loader');

type Ended = { readonly exitCode: number; readonly stdout: string; readonly stderr: string };
type Loaded = {
  readonly services: Readonly<Record<string, { readonly environment?: Readonly<Record<string, string>> }>>;
  readonly networks: { readonly front: { readonly ipam: { readonly config: readonly { readonly subnet: string }[] } } };
};

beforeAll(async () => {
  const source = join(import.meta.dir, 'loader');
  const built = await run(['go', 'build', '-mod=readonly', '-o', loader, '.'], source, process.env);
  if (built.exitCode !== 0) throw new Error(`the loader cannot be built:\n${built.stderr}`);
}, BUILD_MS);

afterAll(() => tools.remove());

describe('docker-compose.yml, as Docker Compose reads it', () => {
  test('without .env, names the missing secrets and the document', async () => {
    using project = projectDirectory();
    const { exitCode, stderr } = await load(project.path);
    expect(exitCode).toBe(1);
    for (const name of ['WAYMARK_SECRET_KEY', 'WAYMARK_ADMIN_TOKEN', 'WAYMARK_ANALYST_TOKEN']) {
      expect(stderr).toContain(
        `required variable ${name} is missing a value: make it once, as docs/production.md shows`,
      );
    }
  });

  test('with the .env of the documented command, runs the single node, or the cluster by profile', async () => {
    using project = projectDirectory();
    await makeEnvironment(project.path);
    const stores = ['eventstore', 'mailpit', 'migrate', 'mongodb', 'mongodb-replica-set'];
    const cluster = ['api-1', 'api-2', 'api-3', 'deliverer', 'projector', 'proxy'];
    expect(servicesOf(await load(project.path))).toEqual([...stores, 'waymark']);
    expect(servicesOf(await load(project.path, 'cluster'))).toEqual([...stores, ...cluster].toSorted());
  });

  test('gives every node the same secrets and the network of trusted proxies', async () => {
    using project = projectDirectory();
    await makeEnvironment(project.path);
    await Bun.write(project.file('.env'), `${readFileSync(project.file('.env'), 'utf8')}FRONT_SUBNET=10.9.8.0/24\n`);
    const { services, networks } = loaded(await load(project.path, 'cluster'));
    const environments = Object.values(services).flatMap(({ environment }) =>
      environment?.['WAYMARK_SECRET_KEY'] === undefined ? [] : [environment],
    );
    const [secret, ...others] = new Set(environments.map((environment) => environment['WAYMARK_SECRET_KEY']));
    expect([environments.length, secret, others]).toEqual([6, expect.stringMatching(/^[0-9a-f]{64}$/), []]);
    expect(new Set(environments.map((environment) => environment['TRUSTED_PROXIES']))).toEqual(
      new Set(['10.9.8.0/24,127.0.0.1']),
    );
    expect(networks.front.ipam.config).toEqual([{ subnet: '10.9.8.0/24' }]);
  });
});

test('the documented command creates secrets readable by their owner only, and never overwrites them', async () => {
  using project = projectDirectory();
  await makeEnvironment(project.path);
  const made = readFileSync(project.file('.env'), 'utf8');
  expect(statSync(project.file('.env')).mode & 0o777).toBe(0o600);
  const secrets = [...made.matchAll(/=([0-9a-f]{64})$/gm)].map(([, value]) => value);
  expect(new Set(secrets).size).toBe(3);
  expect((await run(['sh', '-c', command()], project.path, process.env)).exitCode).not.toBe(0);
  expect(readFileSync(project.file('.env'), 'utf8')).toBe(made);
});

function projectDirectory() {
  const directory = temporaryDirectory();
  copyFileSync(join(ROOT, 'docker-compose.yml'), directory.file('docker-compose.yml'));
  return directory;
}

/** Runs the first command of docs/production.md under "First start". */
async function makeEnvironment(directory: string): Promise<void> {
  const { exitCode, stderr } = await run(['sh', '-c', command()], directory, process.env);
  if (exitCode !== 0 || !existsSync(join(directory, '.env'))) throw new Error(`no .env was made:\n${stderr}`);
}

function command(): string {
  const [, fenced] = /## First start[\s\S]*?```sh\n([\s\S]*?)```/.exec(readSource('docs/production.md')) ?? [];
  if (fenced === undefined) throw new Error('docs/production.md shows no command under First start');
  return fenced;
}

/** With nothing in the environment that the file could take for its variables. */
function load(directory: string, ...profiles: string[]): Promise<Ended> {
  return run([loader, directory, ...profiles], directory, { PATH: process.env['PATH'] });
}

function loaded({ exitCode, stdout, stderr }: Ended): Loaded {
  if (exitCode !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

function servicesOf(ended: Ended): string[] {
  return Object.keys(loaded(ended).services).toSorted();
}

async function run(words: string[], cwd: string, env: Readonly<Record<string, string | undefined>>): Promise<Ended> {
  const child = Bun.spawn(words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { exitCode: await child.exited, stdout, stderr };
}
