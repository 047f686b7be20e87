/**
 * What the phone keeps: records in IndexedDB, encrypted with AES-GCM. The key cannot be extracted: a copy of the records is
 * unreadable, and only this page on this phone can use it.
 */
const DATABASE = 'waymark-gate';
const RECORDS = 'records';
const KEYS = 'keys';
const VAULT = 'vault';
const IV_BYTES = 12;

type Sealed = { readonly iv: Uint8Array<ArrayBuffer>; readonly data: ArrayBuffer };

export class Store {
  readonly #database: IDBDatabase;
  readonly #key: CryptoKey;

  private constructor(database: IDBDatabase, key: CryptoKey) {
    this.#database = database;
    this.#key = key;
  }

  /** @throws DOMException if the browser keeps nothing, as some do in private windows */
  static async open(): Promise<Store> {
    const opening = indexedDB.open(DATABASE, 1);
    opening.addEventListener('upgradeneeded', () => {
      opening.result.createObjectStore(RECORDS);
      opening.result.createObjectStore(KEYS);
    });
    const database = await settled(opening);
    const made = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
    // In one transaction, so that two tabs that start together use one key.
    const keys = database.transaction(KEYS, 'readwrite').objectStore(KEYS);
    const kept = (await settled(keys.get(VAULT))) as CryptoKey | undefined;
    if (kept === undefined) await settled(keys.put(made, VAULT));
    return new Store(database, kept ?? made);
  }

  /** Null if there is none, or if it was written with another key. */
  async get<T>(name: string): Promise<T | null> {
    const sealed = (await settled(this.#records('readonly').get(name))) as Sealed | undefined;
    return sealed === undefined ? null : this.#open<T>(name, sealed);
  }

  /** Resolves when the record is on disk. */
  async put(name: string, value: unknown): Promise<void> {
    const sealed = await this.#seal(name, value);
    const transaction = this.#database.transaction(RECORDS, 'readwrite', { durability: 'strict' });
    transaction.objectStore(RECORDS).put(sealed, name);
    await committed(transaction);
  }

  async delete(name: string): Promise<void> {
    await settled(this.#records('readwrite').delete(name));
  }

  /** The names that begin with a prefix, in their order. */
  async names(prefix: string): Promise<readonly string[]> {
    const range = IDBKeyRange.bound(prefix, `${prefix}\uFFFF`);
    return (await settled(this.#records('readonly').getAllKeys(range))) as string[];
  }

  /** Deletes every record. The key stays: it is useless without them. */
  async clear(): Promise<void> {
    const transaction = this.#database.transaction(RECORDS, 'readwrite', { durability: 'strict' });
    transaction.objectStore(RECORDS).clear();
    await committed(transaction);
  }

  #records(mode: IDBTransactionMode): IDBObjectStore {
    return this.#database.transaction(RECORDS, mode).objectStore(RECORDS);
  }

  async #seal(name: string, value: unknown): Promise<Sealed> {
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
    const text = new TextEncoder().encode(JSON.stringify(value));
    const data = await crypto.subtle.encrypt(parameters(iv, name), this.#key, text);
    return { iv, data };
  }

  async #open<T>(name: string, { iv, data }: Sealed): Promise<T | null> {
    try {
      const text = await crypto.subtle.decrypt(parameters(iv, name), this.#key, data);
      return JSON.parse(new TextDecoder().decode(text)) as T;
    } catch {
      return null;
    }
  }
}

/** The name of a record is authenticated: a record cannot stand in the place of another one. */
function parameters(iv: Uint8Array<ArrayBuffer>, name: string): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(name) };
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB gives no reason')));
  });
}

function committed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve());
    transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('IndexedDB gives no reason')));
  });
}
