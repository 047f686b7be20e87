import { type Components, isJson, type Json } from './json-schema.ts';
import { mapMembers } from './shared-parts.ts';

type Examples = ReadonlyMap<string, unknown>;

/**
 * Moves examples of answers to the components that they are examples of, so that the example of a booking stands once.
 * An answer keeps its own example if its schema does not compose the same one from the examples of components, as tools
 * do that show the document.
 *
 * @param components get the `examples`
 */
export function shareExamples(paths: Json, components: Components): Json {
  const answers = Object.values(paths).flatMap(membersOf).flatMap(answersOf);
  const parts = answers.flatMap(({ schema, example }) => partsOf(schema, example, components));
  const examples = mostFrequent(parts.filter(([name]) => exampleOf(name, components) === undefined));
  const used = new Set<string>();
  for (const { schema, example } of answers)
    if (covers(sampleOf(schema, examples, components), example))
      for (const name of namesIn(schema, components)) used.add(name);
  for (const name of used) addExample(name, examples, components);
  return mapAnswers(paths, (answer) => {
    const { example, ...rest } = answer;
    return isAnswer(answer) && covers(sampleOf(answer.schema, examples, components), example) ? rest : answer;
  });
}

type Answer = { readonly schema: Json; readonly example: unknown };

function isAnswer(content: Json): content is Answer {
  return isJson(content['schema']) && 'example' in content;
}

function answersOf({ responses }: Json): readonly Answer[] {
  return membersOf(responses)
    .flatMap(({ content }) => membersOf(content))
    .filter(isAnswer);
}

function mapAnswers(paths: Json, of: (content: Json) => Json): Json {
  const response = ({ content, ...rest }: Json): Json =>
    content === undefined ? rest : { ...rest, content: mapMembers(content, of) };
  return mapMembers(paths, (item) =>
    mapMembers(item, (operation) => ({ ...operation, responses: mapMembers(operation['responses'], response) })),
  );
}

type Part = readonly [component: string, example: unknown];

/** The parts of an example whose schemas are components. */
function partsOf(schema: Json, example: unknown, components: Components): readonly Part[] {
  const name = componentOf(schema, components);
  if (name !== null) return [[name, example]];
  const { items, properties } = schema;
  if (isJson(items) && Array.isArray(example)) return example.flatMap((each) => partsOf(items, each, components));
  if (!isJson(properties) || !isJson(example)) return [];
  return Object.entries(properties).flatMap(([member, of]) =>
    isJson(of) && member in example ? partsOf(of, example[member], components) : [],
  );
}

/** Of each component the example that most answers have; of several the first. */
function mostFrequent(parts: readonly Part[]): Examples {
  const chosen = new Map<string, unknown>();
  for (const [name, same] of Map.groupBy(parts, ([each]) => each)) {
    const texts = [...Map.groupBy(same, ([, example]) => JSON.stringify(example)).values()];
    const [most] = texts.toSorted((a, b) => b.length - a.length);
    chosen.set(name, most?.[0]?.[1]);
  }
  return chosen;
}

/** What the examples of components compose for a schema; undefined if a member has no example. */
function sampleOf(schema: Json, examples: Examples, components: Components): unknown {
  const name = componentOf(schema, components);
  if (name !== null) {
    return examples.has(name) ? examples.get(name) : exampleOf(name, components);
  }
  const { const: only, items, properties } = schema;
  if (only !== undefined) return only;
  if (isJson(items)) {
    const sample = sampleOf(items, examples, components);
    return sample === undefined ? undefined : [sample];
  }
  if (!isJson(properties)) return undefined;
  const members = Object.entries(properties).map(
    ([member, of]) => [member, isJson(of) ? sampleOf(of, examples, components) : undefined] as const,
  );
  return members.every(([, sample]) => sample !== undefined) ? Object.fromEntries(members) : undefined;
}

/** Whether a sample has every member of the example. Optional members may be added. */
function covers(sample: unknown, example: unknown): boolean {
  if (!isJson(sample) || !isJson(example)) return sample !== undefined && Bun.deepEquals(sample, example);
  return Object.entries(example).every(([name, member]) => name in sample && covers(sample[name], member));
}

/** The example that a component already has. */
function exampleOf(name: string, components: Components): unknown {
  const { allOf, example } = components.get(name) ?? {};
  return Array.isArray(allOf) && isJson(allOf[1]) ? allOf[1]['example'] : example;
}

/**
 * Gives a component its example of `examples`. Tools merge the examples of an `allOf`: a component with a base gets only
 * the members that differ from the base's. A base without an example of its own gets the members that are its properties.
 */
export function addExample(name: string, examples: Examples, components: Components): void {
  const { allOf, ...rest } = components.get(name) ?? {};
  const example = examples.get(name);
  if (example === undefined || exampleOf(name, components) !== undefined) return;
  if (!Array.isArray(allOf)) return void components.set(name, { ...rest, example });
  const [base, added] = allOf.filter(isJson);
  const inherited = base === undefined ? null : componentOf(base, components);
  if (inherited !== null)
    addExample(inherited, new Map([[inherited, partOf(inherited, example, components)], ...examples]), components);
  const common = inherited === null ? {} : exampleOf(inherited, components);
  const differs = ([member, value]: readonly [string, unknown]): boolean =>
    !(isJson(common) && member in common && Bun.deepEquals(common[member], value));
  const own = Object.fromEntries(Object.entries(isJson(example) ? example : {}).filter(differs));
  components.set(name, { ...rest, allOf: [base, { ...added, example: own }] });
}

/** The members of an example that are properties of a component; undefined if there are none. */
function partOf(name: string, example: unknown, components: Components): unknown {
  const { properties } = components.get(name) ?? {};
  const own = Object.entries(isJson(example) ? example : {}).filter(
    ([member]) => isJson(properties) && member in properties,
  );
  return own.length === 0 ? undefined : Object.fromEntries(own);
}

/** The components that compose the sample of a schema. */
function namesIn(schema: Json, components: Components): readonly string[] {
  const name = componentOf(schema, components);
  if (name !== null) return [name];
  const { items, properties } = schema;
  return [items, ...Object.values(isJson(properties) ? properties : {})]
    .filter(isJson)
    .flatMap((each) => namesIn(each, components));
}

/** The component that a schema refers to; of a union its first. */
function componentOf({ $ref, anyOf }: Json, components: Components): string | null {
  if (Array.isArray(anyOf) && isJson(anyOf[0])) return componentOf(anyOf[0], components);
  if (typeof $ref !== 'string') return null;
  const name = $ref.replace('#/components/schemas/', '');
  const { anyOf: union } = components.get(name) ?? {};
  return Array.isArray(union) ? componentOf({ anyOf: union }, components) : name;
}

function membersOf(value: unknown): readonly Json[] {
  return isJson(value) ? Object.values(value).filter(isJson) : [];
}
