import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

type Answering = { handle(request: Request): Promise<Response> | Response };
type Json = { readonly [name: string]: unknown };
export type Seen = { readonly status: number; readonly headers: Headers; readonly text: string };

/**
 * Headers of HTTP itself, security headers for browsers, and those that the document's introduction describes; the
 * operations must document all others. The scheme `Session` describes the cookie.
 */
const UNSAID = new Set(
  `x-request-id cache-control ratelimit-policy ratelimit content-type content-encoding
  vary content-security-policy referrer-policy set-cookie x-content-type-options x-robots-tag`.split(/\s+/),
);
/** Pages for browsers, which the reference does not name; nor does it name pages that explain a failure. */
const PAGE = /^\/(dashboard|gate|assets)(\/|$)|^\/api\/vouchers\/(page|worker)\.js$/;
/** Answers of the router to unknown operations. */
const NO_OPERATION: Readonly<Record<number, string>> = { 404: 'NOT_FOUND', 405: 'METHOD_NOT_ALLOWED' };

/** By settings: apps with the same settings have the same reference, which costs more to generate than most tests. */
const ofSettings = new Map<string, Promise<Reference>>();

/**
 * The same app, whose every answer is held against its own API reference: path, status, headers and body.
 * A request fails where they differ, and says in what.
 *
 * @param settings null: of an app that differs by more than settings
 */
export function checkedByReference(
  app: Answering,
  settings: string | null = null,
): { handle(request: Request): Promise<Response> } {
  let reference: Promise<Reference> | null = settings === null ? null : (ofSettings.get(settings) ?? null);
  return {
    async handle(request) {
      reference ??= fullReference(async (path) => app.handle(new Request(`http://localhost${path}`)));
      if (settings !== null) ofSettings.set(settings, reference);
      const loaded = await reference;
      const response = await app.handle(request);
      loaded.check(request, await seen(response));
      return response;
    },
  };
}

/** An OpenAPI document that answers can be held against. */
export class Reference {
  readonly document: Json;
  readonly #ajv: Ajv2020;
  readonly #operations: readonly Operation[];

  constructor(document: Json) {
    this.document = document;
    this.#ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
    formats(this.#ajv);
    // Clients ignore unknown fields, but the service must send documented ones only.
    this.#ajv.addSchema(closed(document) as object, DOCUMENT);
    this.#operations = operationsOf(document);
  }

  /** @throws if the answer differs from the document */
  check({ method, url }: Pick<Request, 'method' | 'url'>, answer: Seen): void {
    const { pathname } = new URL(url);
    if (PAGE.test(pathname) && answer.status < 400) return;
    const isPage = answer.headers.get('content-type')?.startsWith('text/html');
    if (isPage && (answer.status >= 400 || pathname.startsWith('/venue-requests/'))) return;
    const wrong = (what: string): Error =>
      new Error(`${method} ${pathname} answered ${answer.status}, against its API reference: ${what}`);
    const found = this.#operations.find((each) => each.method === method && each.pattern.test(pathname));
    if (found === undefined) return this.#checkNowhere(answer, wrong);
    const own = this.at(`${found.pointer}/responses/${answer.status}`);
    // A failure whose status has no answer of its own is one of the common failures.
    const documented = own ?? (answer.status < 400 ? null : this.at(`${found.pointer}/responses/default`));
    if (documented === null) throw wrong('there is no such status');
    this.#checkHeaders(answer.headers, documented.value, wrong);
    this.#checkBody(answer, documented, wrong);
  }

  /** The fault of a value by a schema of the document; null if it is valid. */
  fault(pointer: string, value: unknown): string | null {
    const validate = this.#validator(pointer);
    return validate(value) ? null : this.#ajv.errorsText(validate.errors, { dataVar: 'body' });
  }

  /** What is at a place of the document, and where it is after the references on the way; null if there is nothing. */
  at(pointer: string): Place | null {
    let place: Place = { pointer: '', value: this.document };
    for (const name of pointer.split('/').slice(1)) {
      const value = place.value[unescaped(name)];
      if (typeof value !== 'object' || value === null) return null;
      place = { pointer: `${place.pointer}/${name}`, value: value as Json };
      const { $ref } = place.value;
      if (typeof $ref === 'string') place = this.at($ref.slice(1)) ?? place;
    }
    return place;
  }

  /**
   * What tools show for a schema: its example, or else what the examples of its members compose. Those of an `allOf` are
   * merged. Undefined if a member has none.
   */
  sample({ $ref, ...schema }: Json): unknown {
    if (typeof $ref === 'string') return this.sample(this.at($ref.slice(1))?.value ?? {});
    const { example, const: only, allOf, anyOf, items, properties } = schema;
    if (example !== undefined) return example;
    if (only !== undefined) return only;
    if (Array.isArray(allOf)) return Object.assign({}, ...(allOf as Json[]).map((each) => this.sample(each)));
    if (Array.isArray(anyOf)) return this.sample(anyOf[0] as Json);
    if (items !== undefined) return [this.sample(items as Json)];
    if (properties === undefined) return undefined;
    const members = Object.entries(properties as Readonly<Record<string, Json>>);
    return Object.fromEntries(members.map(([name, member]) => [name, this.sample(member)] as const));
  }

  get operations(): readonly Operation[] {
    return this.#operations;
  }

  #checkNowhere({ status, text }: Seen, wrong: (what: string) => Error): void {
    const code = NO_OPERATION[status];
    if (code === undefined) throw wrong('there is no such operation');
    const body: unknown = JSON.parse(text);
    const fault = this.fault('/components/schemas/Error', body);
    if (fault !== null) throw wrong(fault);
    if ((body as Json)['code'] !== code) throw wrong(`${code} was to be expected`);
  }

  #checkHeaders(headers: Headers, documented: Json, wrong: (what: string) => Error): void {
    const known = new Set(Object.keys((documented['headers'] ?? {}) as Json).map((name) => name.toLowerCase()));
    for (const name of headers.keys()) {
      if (!UNSAID.has(name) && !known.has(name)) throw wrong(`the header ${name} is not in it`);
    }
  }

  #checkBody({ headers, text, status }: Seen, { value, pointer }: Place, wrong: (what: string) => Error): void {
    const content = value['content'] as Json | undefined;
    if (content === undefined) {
      if (text !== '') throw wrong('there is a body');
      return;
    }
    const media = (headers.get('content-type') ?? '').replace(/\s*;.*$/, '');
    const range = [media, '*/*'].find((each) => each in content);
    if (range === undefined) throw wrong(`${media} is none of ${Object.keys(content).join(', ')}`);
    if ((content[range] as Json)['schema'] === undefined) return;
    const body: unknown = JSON.parse(text);
    const fault = this.fault(`${pointer}/content/${escaped(range)}/schema`, body);
    if (fault !== null) throw wrong(`${fault}\n${text.slice(0, 2_000)}`);
    const { code } = { code: null, ...(body as object) };
    if (!isFailure(body)) return;
    const codes = codesFor(status, value);
    if (!codes.includes(String(code))) throw wrong(`${code} is none of ${codes.join(', ')}`);
  }

  #validator(pointer: string): ValidateFunction {
    const known = this.#ajv.getSchema(`${DOCUMENT}#${pointer}`);
    if (known === undefined) throw new Error(`the document has nothing at ${pointer}`);
    return known;
  }
}

/** A code of a failure, after the hyphen of its line: with its status among the common failures, else without. */
const CODE_LINES = /^- (?:(\d{3}) )?`([A-Z_]+)`: \S/gm;

/** The codes that a description explains, with the statuses that it names; null for none. */
export function explainedCodes(
  description: string,
): readonly { readonly code: string; readonly status: number | null }[] {
  return [...description.matchAll(CODE_LINES)].map(([, status, code = '']) => ({
    code,
    status: status === undefined ? null : Number(status),
  }));
}

/** The codes of a documented failure that come with a status. */
function codesFor(status: number, { description, 'x-codes': codes }: Json): readonly string[] {
  const explained = explainedCodes(String(description));
  const known = explained.filter((each) => each.status === null || each.status === status).map(({ code }) => code);
  return Array.isArray(codes) ? codes.map(String).filter((code) => known.includes(code)) : [];
}

function isFailure(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'success' in body && body.success === false;
}

type Place = { readonly pointer: string; readonly value: Json };

export type Operation = {
  readonly method: string;
  readonly path: string;
  readonly pattern: RegExp;
  /** Its place in the document. */
  readonly pointer: string;
  readonly operation: Json;
};

const DOCUMENT = 'waymark:openapi';

export const DOCUMENTS = ['/openapi.json', '/openapi-operators.json'] as const;

/** Compiles equal documents once, because every test's service has one. */
const known = new Map<string, Reference>();

/** Both documents of an API in one, with every operation. */
export async function fullReference(get: (path: string) => Promise<Response>): Promise<Reference> {
  const texts = await Promise.all(DOCUMENTS.map(async (path) => (await get(path)).text()));
  const text = texts.join('\n');
  const reference = known.get(text) ?? new Reference(joined(texts));
  known.set(text, reference);
  return reference;
}

/** Components of equal names may differ: those of further documents get a prefix. */
function joined(texts: readonly string[]): Json {
  const documents = texts.map((text, index): Json => {
    if (index === 0) return JSON.parse(text) as Json;
    const renamed = JSON.parse(text.replace(/"#\/components\/(\w+)\//g, `"#/components/$1/${index}.`)) as Json;
    const kinds = Object.entries(renamed['components'] as Json).map(([kind, all]) => {
      const entries = Object.entries(all as Json);
      const prefix = kind === 'securitySchemes' ? '' : `${index}.`;
      return [kind, Object.fromEntries(entries.map(([name, each]) => [`${prefix}${name}`, each]))] as const;
    });
    return { ...renamed, components: Object.fromEntries(kinds) };
  });
  return documents.reduce((one, other) => ({
    ...one,
    paths: joinedMembers(one['paths'], other['paths'], (methods, more) => ({ ...methods, ...more })),
    components: joinedMembers(one['components'], other['components'], (all, more) => ({ ...all, ...more })),
  }));
}

function joinedMembers(one: unknown, other: unknown, join: (one: Json, other: Json) => Json): Json {
  const [first, second] = [one as Record<string, Json>, other as Record<string, Json>];
  const names = new Set([...Object.keys(first), ...Object.keys(second)]);
  return Object.fromEntries([...names].map((name) => [name, join(first[name] ?? {}, second[name] ?? {})]));
}

/** Paths with fewer parameters first: `/api/keys/self` precedes `/api/keys/{id}`. */
function operationsOf(document: Json): Operation[] {
  const paths = Object.entries(document['paths'] as Readonly<Record<string, Readonly<Record<string, Json>>>>);
  const parameters = (path: string): number => path.split('{').length;
  return paths
    .sort(([a], [b]) => parameters(a) - parameters(b))
    .flatMap(([path, operations]) => {
      const parts = path.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^$()|[\]\\]/g, '\\$&'));
      const pattern = new RegExp(`^${parts.join('[^/]+')}/?$`);
      return Object.entries(operations).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        pattern,
        pointer: `/paths/${escaped(path)}/${method}`,
        operation,
      }));
    });
}

/** Schemas that refuse members which they do not name. Members of an `allOf` only add to another schema. */
function closed(document: Json): unknown {
  const schemas = (document['components'] as Json)['schemas'] as Readonly<Record<string, Json>>;
  return shut(document, schemas);
}

function shut(given: unknown, schemas: Readonly<Record<string, Json>>, open = false): unknown {
  if (Array.isArray(given)) return given.map((each) => shut(each, schemas, open));
  if (typeof given !== 'object' || given === null) return given;
  const value = withBase(given as Json, schemas);
  const entries = Object.entries(value).map(([name, inner]) => [name, shut(inner, schemas, name === 'allOf')] as const);
  const isShut = 'properties' in value && 'type' in value && !('additionalProperties' in value) && !open;
  return { ...Object.fromEntries(entries), ...(isShut ? { additionalProperties: false } : {}) };
}

/** The members of a base and those that are added to it in one schema: each alone would refuse the other's. */
function withBase(value: Json, schemas: Readonly<Record<string, Json>>): Json {
  const { allOf, ...rest } = value;
  const [base, added] = Array.isArray(allOf) ? (allOf as readonly Json[]) : [];
  const inherited = schemas[String(base?.['$ref']).replace('#/components/schemas/', '')];
  if (inherited === undefined || added?.['properties'] === undefined) return value;
  return {
    ...rest,
    ...added,
    properties: { ...(inherited['properties'] as Json), ...(added['properties'] as Json) },
    required: [inherited['required'], added['required']].flat(),
  };
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function unescaped(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** An answer as a caller sees it; the caller can still read the original. */
async function seen(response: Response): Promise<Seen> {
  const { status, headers } = response;
  const bytes = new Uint8Array(await response.clone().arrayBuffer());
  const zipped = headers.get('content-encoding') === 'gzip';
  return { status, headers, text: new TextDecoder().decode(zipped ? Bun.gunzipSync(bytes) : bytes) };
}
