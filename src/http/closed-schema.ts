import { type TObject, type TSchema, Type } from 'typebox';

/**
 * A copy that allows no additional members in any object, at every level. A nested object `Opening` becomes
 * `OpeningInput`: answers use the same schemas, and stay open.
 */
export function closed<S extends TSchema>(schema: S): S {
  // With all its property descriptors, the copy has the schema's type.
  const copy = copyOf(schema);
  if (Type.IsObject(schema)) {
    const members = Object.entries<TSchema>(schema.properties).map(([name, of]) => [name, closedMember(of)] as const);
    return Object.assign(copy, { properties: Object.fromEntries(members), additionalProperties: false });
  }
  if (Type.IsArray(schema)) return Object.assign(copy, { items: closedMember(schema.items) });
  if (Type.IsUnion(schema)) return Object.assign(copy, { anyOf: schema.anyOf.map(closedMember) });
  return copy;
}

/** A copy with all properties. A spread would lose the non-enumerable ones, which TypeBox needs. */
export function copyOf<S extends TSchema>(schema: S): S {
  return Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)) as S;
}

/** The paths of all members, those of nested objects and of list items too: `location.city`, `seasons.price`. */
export function memberPaths(schema: TObject, parent = ''): readonly string[] {
  return Object.entries<TSchema>(schema.properties).flatMap(([name, field]) => {
    const path = parent === '' ? name : `${parent}.${name}`;
    const inner = shapeOf(field);
    const object = Type.IsArray(inner) ? shapeOf(inner.items) : inner;
    return Type.IsObject(object) ? [path, ...memberPaths(object, path)] : [path];
  });
}

/** The schema of a value that is not null. */
export function shapeOf(field: TSchema): TSchema {
  if (!Type.IsUnion(field)) return field;
  const [first, ...others] = field.anyOf.filter((each) => !Type.IsNull(each));
  return first !== undefined && others.length === 0 ? first : field;
}

function closedMember(schema: TSchema): TSchema {
  const copy = closed(schema);
  if (!('$id' in copy)) return copy;
  if (Type.IsObject(schema)) return Object.assign(copy, { $id: `${String(copy.$id)}Input` });
  if (Type.IsArray(schema) || Type.IsUnion(schema)) delete copy.$id;
  return copy;
}
