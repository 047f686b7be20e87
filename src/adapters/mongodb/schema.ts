import type { IndexDescription } from 'mongodb';
import type { Database } from './database.ts';
import { isRefusal, type Refusal } from './server-faults.ts';

/** What a document of a collection must be: each field that it has to have, with its type or types. */
export type Shape = Readonly<Record<string, 'string' | 'number' | 'array' | 'objectId' | readonly ['string', 'null']>>;

/** Collections and indexes, as migrations change them. Each call may be repeated, and changes nothing the second time. */
export type Schema = {
  /**
   * Creates the collection where missing, and has the server check what is written to it. Where a server has no such
   * checks (FerretDB), documents are kept without: they guard against other tools, not against Waymark.
   */
  collection(name: string, shape: Shape): Promise<void>;
  /** Creates an index where missing, named by its fields; ascending in all of them. */
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

/** False where the server refused with one of these codes. */
async function orNot(call: () => Promise<unknown>, ...refusals: readonly Refusal[]): Promise<boolean> {
  try {
    await call();
    return true;
  } catch (fault) {
    if (isRefusal(fault, ...refusals)) return false;
    throw fault;
  }
}
