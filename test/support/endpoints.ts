import type { Operation, Reference } from './reference.ts';
import type { Credentials, Service } from './service.ts';
import { signIn } from './sessions.ts';

/** A JSON Schema of the API reference. */
export type Schema = {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean;
  readonly items?: Schema;
  readonly readOnly?: boolean;
};
/** An operation under /api/ that answers JSON, with what a test needs to call it. */
export type Endpoint = {
  readonly name: string;
  readonly method: string;
  /** With a value for each parameter. */
  readonly path: string;
  readonly credentials: Credentials;
  readonly parameters: readonly string[];
  /** `pointer` is the place of its schema in the reference. */
  readonly body: { readonly pointer: string; readonly schema: Schema; readonly example: unknown } | null;
};

const JSON_CONTENT = '/content/application~1json';

export async function endpointsOf(reference: Reference, service: Service): Promise<readonly Endpoint[]> {
  const { writing: session } = await signIn(service, service.admin);
  return reference.operations
    .filter(({ path, pointer }) => path.startsWith('/api/') && reference.at(`${pointer}/responses/200${JSON_CONTENT}`))
    .map((operation) => endpointOf(operation, reference, service, session));
}

function endpointOf(
  { method, path, pointer, operation }: Operation,
  reference: Reference,
  service: Service,
  session: Credentials,
): Endpoint {
  const security = Object.assign({}, ...((operation['security'] ?? []) as readonly object[]));
  const parameters = ((operation['parameters'] ?? []) as readonly object[]).map(
    (_, index) => reference.at(`${pointer}/parameters/${index}`)?.value ?? {},
  );
  const at = `${pointer}/requestBody${JSON_CONTENT}/schema`;
  const schema = reference.at(at)?.value;
  const media = reference.at(`${pointer}/requestBody${JSON_CONTENT}`)?.value ?? {};
  return {
    name: `${method} ${path}`,
    method,
    path: path.replace('{date}', '2026-11-22').replace(/\{\w+\}/g, 'x'),
    credentials: {
      ...('ApiKey' in security ? service.key : {}),
      ...('DeviceKey' in security ? service.gates.pier : {}),
      ...('OperatorToken' in security ? service.admin : {}),
      ...('Session' in security ? session : {}),
    },
    parameters: parameters.filter((each) => each['in'] === 'query').map((each) => String(each['name'])),
    body: schema === undefined ? null : { pointer: at, schema, example: media['example'] ?? reference.sample(schema) },
  };
}
