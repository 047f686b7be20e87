import { isJson, type Json } from './json-schema.ts';

type Shared = { readonly responses: Json; readonly parameters: Json; readonly examples: Json };

/** A shorter part takes less space than a reference to it. */
const SHARED_FROM_CHARACTERS = 120;

/**
 * Moves the equal failures, parameters and examples of several operations to components, and refers to them. The name
 * of a failure consists of its codes, followed by `ForKeys` if its answers have the headers of a key's limits.
 */
export function shareParts(paths: Json): { readonly paths: Json; readonly components: Shared } {
  const isShared = sharedBy(membersOf(paths).flatMap(membersOf).map(partsOf));
  const components = { responses: named('responses'), parameters: named('parameters'), examples: named('examples') };
  const media = (content: Json, operationId: string): Json => {
    const { example, ...rest } = content;
    if (!isJson(example) || !isShared(example)) return content;
    const [name, reference] = components.examples.add(operationId, operationId, { value: example });
    return { ...rest, examples: { [name]: reference } };
  };
  const response = (given: Json, operationId: string): Json => {
    const { content, 'x-codes': codes } = given;
    if (Array.isArray(codes) && isShared(given)) {
      const name = `${codes.map(String).map(pascalCase).join('Or')}${isLimited(given) ? 'ForKeys' : ''}`;
      return components.responses.add(name, operationId, given)[1];
    }
    return content === undefined
      ? given
      : { ...given, content: mapMembers(content, (each) => media(each, operationId)) };
  };
  const parameter = (given: Json, operationId: string): Json =>
    isShared(given)
      ? components.parameters.add(`${pascalCase(String(given['name']))}Parameter`, operationId, given)[1]
      : given;
  const operation = (given: Json): Json => {
    const { operationId, parameters, responses } = given;
    const id = String(operationId);
    const own = listOf(parameters).map((each) => parameter(each, id));
    return {
      ...given,
      ...(own.length === 0 ? {} : { parameters: own }),
      responses: mapMembers(responses, (each) => response(each, id)),
    };
  };
  const shared = mapMembers(paths, (item) => mapMembers(item, operation));
  const { responses, parameters, examples } = components;
  return {
    paths: shared,
    components: { responses: responses.all(), parameters: parameters.all(), examples: examples.all() },
  };
}

/** Components of one kind by name. A name that another component has is followed by the operation's id. */
function named(kind: string) {
  const all = new Map<string, Json>();
  return {
    add(wanted: string, operationId: string, component: Json): readonly [name: string, reference: Json] {
      const known = [...all].find(([, each]) => Bun.deepEquals(each, component))?.[0];
      const name = known ?? (all.has(wanted) ? `${wanted}${pascalCase(operationId)}` : wanted);
      all.set(name, component);
      return [name, { $ref: `#/components/${kind}/${name}` }];
    },
    all: (): Json => Object.fromEntries([...all].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** The parts that operations may have in common. */
function partsOf({ parameters, responses }: Json): readonly Json[] {
  const answers = membersOf(responses);
  const examples = answers.flatMap(({ content }) => membersOf(content).map(({ example }) => example));
  return [...answers, ...listOf(parameters), ...examples.filter(isJson)];
}

/** Whether several operations have a part. */
function sharedBy(operations: readonly (readonly Json[])[]): (part: Json) => boolean {
  const uses = new Map<string, number>();
  for (const text of operations.flat().map((part) => JSON.stringify(part))) uses.set(text, (uses.get(text) ?? 0) + 1);
  return (part) => {
    const text = JSON.stringify(part);
    return text.length >= SHARED_FROM_CHARACTERS && (uses.get(text) ?? 0) > 1;
  };
}

function isLimited({ headers }: Json): boolean {
  return isJson(headers) && 'RateLimit' in headers;
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
