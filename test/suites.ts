/** Tests that run together and are counted together. */
export type Suite = {
  /** Folders under `test/`. */
  readonly folders: readonly string[];
  /** Folders beneath them that need more, and belong to another suite. */
  readonly without?: readonly string[];
  /** Only `*.long.test.ts`; every other suite leaves these out. */
  readonly long?: boolean;
  /** Further arguments of `bun test`. */
  readonly options: readonly string[];
  /** What the suite needs beside Node and npm. */
  readonly needs: string;
};

export const SUITES = {
  /** What `npm test` runs. The timeout only ends tests that hang. */
  unit: {
    folders: ['unit', 'http', 'contract', 'model', 'chaos', 'fuzz', 'e2e'],
    without: ['contract/mongodb', 'e2e/browser', 'e2e/deployment', 'e2e/receivers'],
    options: ['--timeout=30000'],
    needs: 'nothing',
  },
  /** Several nodes on shared engines, and the MongoDB adapter: on FerretDB, or on the server that MONGODB_URL names. */
  'contract-engines': { folders: ['contract/mongodb', 'cluster'], options: ['--timeout=60000'], needs: 'Go' },
  /** The contract suites of every adapter. */
  contract: { folders: ['contract', 'cluster'], options: ['--timeout=60000'], needs: 'Go' },
  /** The Compose file as Compose reads it, and nodes behind the proxy. */
  deployment: { folders: ['e2e/deployment'], options: ['--timeout=60000'], needs: 'Go and caddy' },
  /** Webhook receivers in three languages, and the official libraries that verify signatures. */
  receivers: { folders: ['e2e/receivers'], options: ['--timeout=60000'], needs: 'Go and Python with venv' },
  browser: { folders: ['e2e/browser'], options: ['--timeout=60000'], needs: 'chromium' },
  /** The heavy proofs at full length: exhaustive searches, many kills. */
  long: { folders: ['model', 'chaos', 'fuzz', 'cluster'], long: true, options: ['--timeout=1800000'], needs: 'hours' },
} as const satisfies Readonly<Record<string, Suite>>;

export type SuiteName = keyof typeof SUITES;

export function isSuiteName(name: string): name is SuiteName {
  return name in SUITES;
}
