/** What a service that lies does otherwise than an honest one. */
export type Lie =
  /** Something else at a path of a JSON answer, where given only the so-many-th time that it is asked. */
  | { readonly on: string; readonly set: string; readonly to: unknown; readonly only?: number }
  /** Another header of an answer; null: none. */
  | { readonly on: string; readonly header: string; readonly to: string | null }
  /** Another answer altogether. */
  | { readonly on: string; readonly status: number; readonly body: string }
  /** An event that is never sent. */
  | { readonly event: string; readonly never: true }
  /** Something else in an event, signed as if it were the truth. */
  | { readonly event: string; readonly set: string; readonly to: unknown }
  /** Another header of a delivery. */
  | { readonly event: string; readonly header: string; readonly to: string }
  /** A voucher whose QR code was signed by a key that is not the service's. */
  | { readonly forged: true };

/** An answer of a scripted service; a body that is no text and no bytes is sent as JSON. */
export type Answer = { status: number; headers: Readonly<Record<string, string>>; body: unknown };

/** The answer as it is, or as the lies make it. */
export function asTold(answer: Answer, on: string, time: number, lies: readonly Lie[]): Answer {
  const changed = { ...answer };
  for (const lie of lies) {
    if (!('on' in lie) || lie.on !== on) continue;
    if ('status' in lie) return { status: lie.status, headers: {}, body: lie.body };
    if ('header' in lie) changed.headers = withHeader(changed.headers, lie.header, lie.to);
    if ('set' in lie && time === (lie.only ?? time)) {
      changed.body = structuredClone(changed.body);
      put(changed.body, lie.set, lie.to);
    }
  }
  return changed;
}

function withHeader(headers: Answer['headers'], name: string, to: string | null): Answer['headers'] {
  const others = Object.entries(headers).filter(([other]) => other !== name);
  return Object.fromEntries(to === null ? others : [...others, [name, to]]);
}

/** Puts a value at a path of member names, whose last one may be new. */
export function put(value: unknown, path: string, to: unknown): void {
  const names = path.split('.');
  const last = names.pop() ?? '';
  const inner = names.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), value);
  if (!isObject(inner)) throw new Error(`there is nothing at ${names.join('.')} to lie about`);
  inner[last] = to;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
