/** Tests that run together and are counted together. */
export type Suite = {
  /** Folders under `test/`. */
  readonly folders: readonly string[];
  /** Subfolders that belong to another suite. */
  readonly without?: readonly string[];
  /** Only `*.long.test.ts`, which every other suite leaves out. */
  readonly long?: boolean;
  /** In ms. Only ends tests that hang. */
  readonly timeoutMs: number;
};

export const SUITES: Readonly<Record<string, Suite>> = {
  /** What `npm test` runs. */
  unit: {
    folders: ['unit', 'ranking', 'http', 'contract', 'model', 'chaos', 'fuzz', 'e2e'],
    without: ['contract/mongodb', 'e2e/browser', 'e2e/deployment', 'e2e/receivers', 'e2e/schemathesis', 'e2e/clients'],
    timeoutMs: 30_000,
  },
  /** Several nodes on shared engines, and the MongoDB adapter on FerretDB or the server of MONGODB_URL. Needs Go. */
  'contract-engines': { folders: ['contract/mongodb', 'cluster'], timeoutMs: 60_000 },
  /** The contract suites of every adapter. Needs Go. */
  contract: { folders: ['contract', 'cluster'], timeoutMs: 60_000 },
  /** The Compose file as Compose reads it, and nodes behind the proxy. Needs Go and Caddy. */
  deployment: { folders: ['e2e/deployment'], timeoutMs: 60_000 },
  /** Webhook receivers in three languages, and the official verification libraries. Needs Go and Python with venv. */
  receivers: { folders: ['e2e/receivers'], timeoutMs: 60_000 },
  /** Generated requests to every operation of the API reference. Needs Python with venv. */
  schemathesis: { folders: ['e2e/schemathesis'], timeoutMs: 60_000 },
  /** Clients that generators make from the API reference. Needs npm, Go, and Python with venv. */
  clients: { folders: ['e2e/clients'], timeoutMs: 60_000 },
  /** Needs Chromium. */
  browser: { folders: ['e2e/browser'], timeoutMs: 60_000 },
  /** The heavy proofs at full length: exhaustive searches, many kills. Takes hours; needs Go. */
  long: { folders: ['model', 'ranking', 'chaos', 'fuzz', 'cluster'], long: true, timeoutMs: 1_800_000 },
};
