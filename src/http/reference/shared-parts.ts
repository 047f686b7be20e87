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
      responses: mapMembers(responses, (each) => referTo('responses', each, responseName(each, id), id)),
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

/** Short names for the failures that most operations have. */
const FREQUENT_FAILURES: Readonly<Record<string, string>> = {
  'MISSING_API_KEY INVALID_API_KEY': 'ApiKeyNeeded',
  'MISSING_DEVICE_KEY INVALID_DEVICE_KEY': 'DeviceKeyNeeded',
  'MISSING_TOKEN INVALID_TOKEN': 'TokenNeeded',
  'KEY_INACTIVE IP_NOT_ALLOWED ENDPOINT_NOT_ALLOWED': 'KeyNotAllowed',
  'RATE_LIMITED QUOTA_EXCEEDED': 'OverLimit',
  PAYLOAD_TOO_LARGE: 'TooLarge',
  UNSUPPORTED_MEDIA_TYPE: 'NotJson',
  SERVICE_UNAVAILABLE: 'Unavailable',
};

function responseName({ content, 'x-codes': codes }: Json, operationId: string): string {
  if (Array.isArray(codes)) return FREQUENT_FAILURES[codes.join(' ')] ?? codes.map(String).map(pascalCase).join('Or');
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

export function mapMembers(value: unknown, of: (member: Json) => Json): Json {
  if (!isJson(value)) return {};
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, isJson(member) ? of(member) : member]),
  );
}
