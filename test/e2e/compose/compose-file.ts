import { readSource } from '../../support/files.ts';

/** As far as the tests look into it; the schema says that the rest has its shape. */
export type ComposeFile = {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
};

export type ComposeService = {
  readonly image: string;
  readonly build?: string;
  readonly profiles?: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly env_file?: unknown;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly disable?: boolean; readonly test?: readonly string[] };
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly restart: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly stop_grace_period?: string;
  readonly deploy?: {
    readonly replicas?: number;
    readonly resources?: { readonly limits?: { readonly memory?: string } };
  };
};

/** docker-compose.yml with its anchors resolved and its `${…}` left as they are. */
export function composeFile(): ComposeFile {
  // The parser of this boundary: that the file has this shape is what schema.test.ts is about.
  return Bun.YAML.parse(readSource('docker-compose.yml')) as ComposeFile;
}

/** The services that run Waymark itself. */
export function nodesOf({ services }: ComposeFile): (readonly [string, ComposeService])[] {
  return Object.entries(services).filter(([, { build }]) => build !== undefined);
}

/** `${NAME:-default}` and `${NAME:?message}`, the two forms that the file uses. */
const VARIABLE = /\$\{(?<name>\w+):(?<kind>[-?])(?<rest>[^}]*)\}/g;

/**
 * The text as Compose passes it on, with these variables set in `.env`.
 * @throws where a variable without a default is not set
 */
export function interpolated(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(VARIABLE, (_, name: string, kind: string, rest: string) => {
    const value = variables[name] ?? '';
    if (value !== '') return value;
    if (kind === '-') return rest;
    throw new Error(`${name} is not set: ${rest}`);
  });
}

/** Whole seconds of `30s` or `2m`. */
export function secondsOf(duration: string): number {
  const [, amount, unit] = /^(\d+)(s|m)$/.exec(duration) ?? [];
  if (amount === undefined) throw new Error(`"${duration}" is not in seconds or minutes`);
  return Number(amount) * (unit === 'm' ? 60 : 1);
}
