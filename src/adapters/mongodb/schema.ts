import type { IndexDescription } from 'mongodb';
import type { Database } from './database.ts';
import { isRefusal, type ServerErrorName } from './server-faults.ts';

/** The validator of a collection: required fields with their types. */
type Shape = Readonly<Record<string, 'string' | 'number' | 'array' | 'objectId' | readonly ['string', 'null']>>;

/** Collections and indexes, changed by migrations. All calls are idempotent. */
export type Schema = {
  /**
   * Creates the collection if missing, with a validator. Servers without validators (FerretDB) store documents
   * unchecked: validators protect against other tools, not against Waymark.
   */
  collection(name: string, shape: Shape): Promise<void>;
  /** Creates an index if missing, named by its fields, all ascending. */
  index(collection: string, fields: readonly [string, ...string[]]): Promise<void>;
};

export function openSchema({ db }: Database): Schema {
  return {
    async collection(name, shape) {
      const validator = { $jsonSchema: jsonSchemaOf(shape) };
      const made = await orNot(() => db.createCollection(name, { validator }), 'NamespaceExists', 'NotImplemented');
      if (made) return;
      await orNot(() => db.createCollection(name), 'NamespaceExists');
      await orNot(() => db.command({ collMod: name, validator }), 'NotImplemented', 'CommandNotFound');
    },
    async index(collection, fields) {
      const index: IndexDescription = {
        name: fields.join(','),
        key: Object.fromEntries(fields.map((field) => [field, 1])),
      };
      await db.collection(collection).createIndexes([index]);
    },
  };
}

function jsonSchemaOf(shape: Shape): object {
  const properties = Object.fromEntries(Object.entries(shape).map(([field, bsonType]) => [field, { bsonType }]));
  return { bsonType: 'object', required: Object.keys(shape), properties };
}

/** Returns false if the server refused with one of these codes. */
async function orNot(call: () => Promise<unknown>, ...refusals: readonly ServerErrorName[]): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (fault) {
    if (isRefusal(fault, ...refusals)) return false;
    throw fault;
  }
}
