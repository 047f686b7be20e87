import { MongoClient } from 'mongodb';

/** Preloaded into a node: on SIGUSR2 it prints the MongoDB commands that it has made, by kind and collection. */

const counts = new Map<string, number>();
const { prototype } = MongoClient;
const connect = Reflect.get(prototype, 'connect');
const counted = new WeakSet<MongoClient>();

prototype.connect = function (this: MongoClient) {
  if (!counted.has(this)) {
    counted.add(this);
    Object.assign(this, { monitorCommands: true });
    this.on('commandStarted', ({ command, commandName }) => {
      const kind = `${commandName} ${of(command[commandName])}`.trim();
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    });
  }
  return connect.call(this);
};

/** The collection of a command, without the build of a read model. */
function of(collection: unknown): string {
  return typeof collection === 'string' ? collection.replace(/\.b\d+$/, '') : '';
}

let asked = 0;
process.on('SIGUSR2', () => {
  process.stdout.write(`${JSON.stringify({ asked: ++asked, commands: Object.fromEntries(counts) })}\n`);
});
