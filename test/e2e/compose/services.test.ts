import { describe, expect, test } from 'bun:test';
import packageJson from '../../../package.json' with { type: 'json' };
import { DRAIN_MS } from '../../../src/app/serve.ts';
import { BadConfiguration, readConfig } from '../../../src/config.ts';
import { isFile, ROOT, readSource } from '../../support/files.ts';
import { type ComposeService, composeFile, interpolated, nodesOf, secondsOf } from './compose-file.ts';
import { all, dockerfile, only, pairsOf } from './dockerfile.ts';

const file = composeFile();
const services = Object.entries(file.services);
const nodes = nodesOf(file);
const { image } = dockerfile();
const imageSettings = pairsOf(only(image, 'ENV'));

/** What the operator must give. Values as the command of docs/production.md makes them. */
const SECRETS = {
  WAYMARK_SECRET_KEY: '9f1c2a7be4d05836b1e7c94f20a8d36c5b7e1f0492ad8c63e5179b0fd2468ace',
  WAYMARK_ADMIN_TOKEN: 'c81e5a3f7092b6d4e8135fa97c2d0b461e9d74f3a5820c6b1f37e94d8a05b2c6',
  WAYMARK_ANALYST_TOKEN: '3ad76f109be2c845f71d0a93e6584bc2d90f1e7b2c468a35f0d9b7e14c82a563',
};

/** Options of EventStoreDB 24.10 that docker-compose.yml uses, by their names in its documentation. */
const EVENT_STORE_OPTIONS = [
  'ClusterSize',
  'DisableLogFile',
  'Insecure',
  'RunProjections',
  'StartStandardProjections',
  'StreamInfoCacheCapacity',
  'TelemetryOptout',
];

test('each profile is complete and contains nothing of the other', () => {
  const started = (profile: string): string[] =>
    services.filter(([, { profiles }]) => profiles?.includes(profile) ?? true).map(([name]) => name);
  const both = ['eventstore', 'mailpit', 'migrate', 'mongodb', 'mongodb-replica-set'];
  expect(started('single').toSorted()).toEqual([...both, 'waymark'].toSorted());
  expect(started('cluster').toSorted()).toEqual(
    [...both, 'api-1', 'api-2', 'api-3', 'deliverer', 'projector', 'proxy'].toSorted(),
  );
});

test('the cluster has three API nodes, two projectors and two deliverers; the single node has every role', () => {
  expect(
    Object.fromEntries(nodes.map(([name, { command, deploy }]) => [name, [command, deploy?.replicas ?? 1]])),
  ).toEqual({
    waymark: [['serve'], 1],
    'api-1': [['serve', '--roles', 'api'], 1],
    'api-2': [['serve', '--roles', 'api'], 1],
    'api-3': [['serve', '--roles', 'api'], 1],
    projector: [['serve', '--roles', 'projector'], 2],
    deliverer: [['serve', '--roles', 'deliverer'], 2],
    migrate: [['migrate', 'up'], 1],
  });
});

test.each(services)(
  'the image of %s has a pinned version; Waymark’s is that of package.json',
  (_, { image: name, build }) => {
    if (build === undefined) expect(name).toMatch(/^[\w/.-]+:v?\d+\.\d+\.\d+(-[\w.]+)?$/);
    else expect([name, build]).toEqual([`waymark:${packageJson.version}`, '.']);
  },
);

test.each(services)(
  '%s waits only for what can be waited for, and is started with it',
  (_, { depends_on, profiles }) => {
    for (const [name, { condition }] of Object.entries(depends_on ?? {})) {
      const needed = file.services[name];
      if (needed === undefined) throw new Error(`there is no service ${name}`);
      expect([needed.restart, condition]).toBeOneOf([
        ['no', 'service_completed_successfully'],
        ['unless-stopped', 'service_healthy'],
      ]);
      if (condition === 'service_healthy') expect(healthChecked(needed)).toBe(true);
      expect(needed.profiles ?? profiles).toEqual(profiles);
    }
  },
);

describe.each(nodes)('%s, a process of Waymark', (_, service) => {
  const given = environmentOf(service, SECRETS);

  test('gets only settings as environment variables', () => {
    const known = namesOfSettings();
    expect(known.size).toBeGreaterThan(20);
    expect(Object.keys(given).filter((setting) => !known.has(setting))).toEqual([]);
  });

  test('gets settings that the service accepts', () => {
    expect(faultsOf({ ...imageSettings, ...given })).toEqual([]);
  });

  test('gets its secrets from .env', () => {
    expect(Object.keys(SECRETS).map((secret) => String(service.environment?.[secret]).split(':?')[0])).toEqual(
      Object.keys(SECRETS).map((secret) => `\${${secret}`),
    );
    for (const secret of Object.keys(SECRETS)) {
      const others = Object.fromEntries(Object.entries(SECRETS).filter(([other]) => other !== secret));
      expect(() => environmentOf(service, others)).toThrow(`${secret} is not set: make it once`);
    }
  });

  test('writes only to memory and its volumes, without capabilities', () => {
    const [uid, gid] = only(image, 'USER').split(':');
    expect(service.read_only).toBe(true);
    expect(service.cap_drop).toEqual(['ALL']);
    expect(service.tmpfs?.map((mount) => mount.split(':')[0])).toEqual([only(image, 'VOLUME'), '/tmp']);
    expect(service.tmpfs?.[0]).toContain(`:uid=${uid},gid=${gid},mode=0700`);
  });

  test('has enough time to stop', () => {
    const neededMs = Number(given['STOP_DELAY_MS'] ?? 0) + DRAIN_MS;
    expect(secondsOf(service.stop_grace_period ?? '10s') * 1000).toBeGreaterThan(neededMs + 5_000);
  });

  test('trusts proxies of its own network and commands in the container only, and these find it', () => {
    const [subnet] =
      /\$\{FRONT_SUBNET:-[\d./]+\}/.exec(readSource('docker-compose.yml').split('\nnetworks:')[1] ?? '') ?? [];
    expect(subnet).toBeDefined();
    expect(service.environment?.['TRUSTED_PROXIES']).toBe(`${subnet},127.0.0.1`);
    expect(given['WAYMARK_URL']).toBe(`http://127.0.0.1:${imageSettings['PORT']}`);
  });
});

describe('the networks', () => {
  test('publish only the proxy; other published ports are bound to loopback', () => {
    const open = services.filter(([, { ports }]) => ports?.some((port) => !port.startsWith('127.0.0.1:')));
    expect(open.map(([name]) => name)).toEqual(['proxy']);
  });

  test('publish the single node at its port', () => {
    expect(only(image, 'EXPOSE')).toBe(imageSettings['PORT'] ?? '');
    const [, outside, inside] = file.services['waymark']?.ports?.[0]?.split(':') ?? [];
    expect([outside, inside]).toEqual([imageSettings['PORT'], imageSettings['PORT']]);
    expect(environmentOf(file.services['waymark'], SECRETS)['PUBLIC_URL']).toBe(`http://localhost:${outside}`);
  });

  test('have the stores only on the internal network', () => {
    expect(file.networks['back']).toEqual({ internal: true });
    const inside = services.filter(([, { image: name }]) => /^(eventstore|mongo)\b/.test(name));
    expect(inside.map(([name, { networks }]) => [name, networks])).toEqual([
      ['eventstore', ['back']],
      ['mongodb', ['back']],
      ['mongodb-replica-set', ['back']],
    ]);
    expect(inside.flatMap(([, { ports }]) => ports ?? [])).toEqual([]);
  });

  test('are all declared and used', () => {
    const used = new Set(services.flatMap(([, { networks }]) => networks));
    expect([...used].toSorted()).toEqual(Object.keys(file.networks).toSorted());
  });
});

describe('the EventStoreDB server, which refuses unknown variables that begin with EVENTSTORE_', () => {
  const servers = services.filter(([, { image: name }]) => name.startsWith('eventstore/'));

  test('gets only its own options, and no file', () => {
    expect(servers.map(([name]) => name)).toEqual(['eventstore']);
    const options = new Set(EVENT_STORE_OPTIONS.map(variableOf));
    for (const [, { environment = {}, env_file }] of servers) {
      expect(Object.keys(environment).filter((name) => !options.has(name))).toEqual([]);
      expect(env_file).toBeUndefined();
    }
  });

  test('does not get EVENTSTORE_URL', () => {
    expect(nodes.every(([, { environment }]) => environment?.['EVENTSTORE_URL'] !== undefined)).toBe(true);
    expect(EVENT_STORE_OPTIONS.map(variableOf)).not.toContain('EVENTSTORE_URL');
    for (const [, { environment }] of servers) expect(environment).not.toHaveProperty('EVENTSTORE_URL');
  });
});

test('every volume is declared and used; every mounted file exists and is read-only', () => {
  const mounts = services.flatMap(([, { volumes }]) => volumes ?? []).map((volume) => volume.split(':'));
  const named = mounts.flatMap(([source = '']) => (source.startsWith('.') ? [] : [source]));
  expect([...new Set(named)].toSorted()).toEqual(Object.keys(file.volumes).toSorted());
  const files = mounts.filter(([source]) => source?.startsWith('.'));
  expect(files.map(([source, , mode]) => [isFile(`${ROOT}/${source}`), mode])).toEqual(files.map(() => [true, 'ro']));
  expect(files.length).toBe(1);
});

test.each(services)(
  '%s has limits of memory, logs and privileges, and restarts unless it has finished',
  (_, service) => {
    expect(service.deploy?.resources?.limits?.memory).toMatch(/^\d+[mg]$/);
    expect(service.security_opt).toEqual(['no-new-privileges:true']);
    expect(Object.keys(service)).toContain('logging');
    expect(service.restart).toBe(service.healthcheck?.disable === true ? 'no' : 'unless-stopped');
  },
);

test('.env, which contains the secrets, is in no commit and no image', () => {
  expect(readSource('.gitignore').split('\n')).toContain('.env');
  const [everything, ...taken] = readSource('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(everything).toBe('*');
  expect(taken.filter((line) => !line.startsWith('!') || line.includes('.env'))).toEqual([]);
});

/** Its own check, or the one of our image. */
function healthChecked({ healthcheck, build }: ComposeService): boolean {
  if (healthcheck?.disable === true) return false;
  return (healthcheck?.test?.length ?? 0) > 1 || (build !== undefined && all(image, 'HEALTHCHECK').length === 1);
}

function environmentOf(
  service: ComposeService | undefined,
  variables: Readonly<Record<string, string>>,
): Record<string, string> {
  const entries = Object.entries(service?.environment ?? {});
  return Object.fromEntries(entries.map(([name, value]) => [name, interpolated(String(value), variables)]));
}

/** The environment variable of an option: `EVENTSTORE_MEM_DB` for `MemDb`. */
function variableOf(option: string): string {
  return `EVENTSTORE${option.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Every name that the configuration looks at. */
function namesOfSettings(): Set<string> {
  const names = new Set<string>();
  readConfig(
    new Proxy<Record<string, string | undefined>>(
      {},
      {
        get: (_, name) => {
          names.add(String(name));
          return undefined;
        },
      },
    ),
  );
  return names;
}

/** What the configuration says against these settings, but that a part is missing in this version. */
function faultsOf(environment: Readonly<Record<string, string>>): string[] {
  try {
    readConfig(environment);
    return [];
  } catch (fault) {
    if (!(fault instanceof BadConfiguration)) throw fault;
    const [, ...faults] = fault.message.split('\n');
    return faults.filter((line) => !line.includes('is not supported by this version'));
  }
}
