import { isJson, type Json } from './json-schema.ts';

type Shared = { readonly responses: Json; readonly parameters: Json; readonly requestBodies: Json };

/** The lengths of a reference to a component and of the component's name, roughly: names differ. */
const [REFERENCE_CHARACTERS, NAME_CHARACTERS] = [60, 25];

/**
 * Moves the equal answers, parameters and bodies of several operations to components, and refers to them, where this
 * makes the document shorter. The name of a failure consists of its codes, that of another answer of its schema.
 */
export function shareParts(paths: Json): { readonly paths: Json; readonly components: Shared } {
  const isShared = sharedBy(membersOf(paths).flatMap(membersOf).flatMap(partsOf));
  const components = {
    responses: named('responses'),
    parameters: named('parameters'),
    requestBodies: named('requestBodies'),
  };
  const referTo = (kind: keyof Shared, part: Json, name: string, operationId: string): Json =>
    isShared(part) ? components[kind].add(name, operationId, part) : part;
  const operation = (given: Json): Json => {
    const { operationId, parameters, requestBody, responses } = given;
    const id = String(operationId);
    const own = listOf(parameters).map((each) =>
      referTo('parameters', each, `${pascalCase(String(each['name']))}Parameter`, id),
    );
    return {
      ...given,
      ...(own.length === 0 ? {} : { parameters: own }),
      ...(isJson(requestBody)
        ? { requestBody: referTo('requestBodies', requestBody, `${pascalCase(id)}Body`, id) }
        : {}),
      responses: mapMembers(responses, (each, status) =>
        referTo('responses', each, responseName(status, each, id), id),
      ),
    };
  };
  const shared = mapMembers(paths, (item) => mapMembers(item, operation));
  const { responses, parameters, requestBodies } = components;
  return {
    paths: shared,
    components: { responses: responses.all(), parameters: parameters.all(), requestBodies: requestBodies.all() },
  };
}

/** Components of one kind by name. A name that another component has is followed by the operation's id. */
function named(kind: keyof Shared) {
  const all = new Map<string, Json>();
  return {
    /** @returns a reference */
    add(wanted: string, operationId: string, component: Json): Json {
      const known = [...all].find(([, each]) => Bun.deepEquals(each, component))?.[0];
      const name = known ?? (all.has(wanted) ? `${wanted}${pascalCase(operationId)}` : wanted);
      all.set(name, component);
      return { $ref: `#/components/${kind}/${name}` };
    },
    all: (): Json => Object.fromEntries([...all].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Sets of codes that only one kind of caller has (callers.ts), each with its name. The first whose codes all occur counts. */
const CALLERS = [
  [['ENDPOINT_NOT_ALLOWED', 'FORBIDDEN'], 'KeyOrSession'],
  [['ENDPOINT_NOT_ALLOWED'], 'Key'],
  [['INVALID_API_KEY', 'FORBIDDEN'], 'AnyKeyOrSession'],
  [['INVALID_API_KEY'], 'AnyKey'],
  [['INVALID_DEVICE_KEY'], 'Device'],
  [['INVALID_TOKEN', 'RATE_LIMITED'], 'Operator'],
  [['INVALID_TOKEN'], 'Session'],
  [['RATE_LIMITED'], 'Throttled'],
  [['SERVICE_UNAVAILABLE'], 'Open'],
] as const;

/** `KeyFailures` of operations without a body, `KeyBodyFailures` of operations with one. */
function nameOfCommon(codes: readonly unknown[]): string {
  const caller = CALLERS.find(([own]) => own.every((code) => codes.includes(code)))?.[1] ?? '';
  return `${caller}${codes.includes('UNSUPPORTED_MEDIA_TYPE') ? 'Body' : ''}Failures`;
}

function responseName(status: string, { content, 'x-codes': codes }: Json, operationId: string): string {
  if (Array.isArray(codes)) return status === 'default' ? nameOfCommon(codes) : codes.map(pascalCase).join('Or');
  if (content === undefined) return 'NotModified';
  const path = ['application/json', 'schema', 'properties', 'data', '$ref'];
  const data = path.reduce<unknown>((value, name) => (isJson(value) ? value[name] : undefined), content);
  return `${typeof data === 'string' ? data.replace('#/components/schemas/', '') : pascalCase(operationId)}Answer`;
}

/** The parts that operations may have in common. */
function partsOf({ parameters, requestBody, responses }: Json): readonly Json[] {
  return [...membersOf(responses), ...listOf(parameters), ...listOf([requestBody])];
}

/** Whether a part takes less space as a component. */
function sharedBy(parts: readonly Json[]): (part: Json) => boolean {
  const uses = new Map<string, number>();
  for (const text of parts.map((part) => JSON.stringify(part))) uses.set(text, (uses.get(text) ?? 0) + 1);
  return (part) => {
    const text = JSON.stringify(part);
    const times = uses.get(text) ?? 0;
    return (times - 1) * text.length > times * REFERENCE_CHARACTERS + NAME_CHARACTERS;
  };
}

/** `INVALID_API_KEY` as `InvalidApiKey`, `webhook-id` as `WebhookId`. */
function pascalCase(name: string): string {
  return name.toLowerCase().replace(/(?:^|[_-])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function membersOf(value: unknown): readonly Json[] {
  return isJson(value) ? Object.values(value).filter(isJson) : [];
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isJson) : [];
}

export function mapMembers(value: unknown, of: (member: Json, name: string) => Json): Json {
  if (!isJson(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, isJson(member) ? of(member, name) : member]),
  );
}
