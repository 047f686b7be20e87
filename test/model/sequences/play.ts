import type { Random } from '../../chaos/kill/random.ts';
import { anyCommand, anyRival, type Choosing } from './choices.ts';
import { freeSlots, type House, type Request, read, type Told } from './house.ts';
import { after, bookingOf, type Command, freeOn, keptOf, refusalsOf, type World } from './reckoning.ts';

const REPEATED_PERCENT = 30;
const WAITING_PERCENT = 10;

/**
 * So many commands, one after the other or two at once, each answered as somebody reckons who knows only the offers and
 * what was answered before; many are repeated. Gives the world in the end, how often each kind was answered with what, and
 * every fault in words.
 */
export async function play(house: House, steps: number, random: Random) {
  const player = new Player(house, random);
  for (let step = 0; step < steps; step++) await player.step(step);
  const { world, faults, told } = player;
  return { world, faults, told };
}

class Player {
  readonly faults: string[] = [];
  readonly told = new Map<string, number>();
  world: World;
  readonly #house: House;
  readonly #random: Random;
  #names = 0;
  #keys = 0;

  constructor(house: House, random: Random) {
    this.#house = house;
    this.#random = random;
    this.world = house.world;
  }

  async step(step: number): Promise<void> {
    this.world = this.#house.now(this.world);
    if (this.#random.percent(WAITING_PERCENT)) this.world = await this.#house.wait(this.world, this.#random);
    const choosing: Choosing = {
      random: this.#random,
      offers: this.#house.offers,
      dates: this.#house.dates(),
      name: () => `Guest quetzal-${String(++this.#names).padStart(6, '0')}`,
    };
    const command = anyCommand(this.world, choosing);
    const rivals = 'booking' in command && this.#random.percent(this.#house.rivalPercent);
    const commands = rivals ? [command, anyRival(this.world, command.booking, choosing)] : [command];
    const requests = await Promise.all(commands.map((each) => this.#requestOf(each)));
    const answers = await Promise.all(requests.map((request) => this.#house.tell(request)));
    for (const [index, { code }] of answers.entries()) {
      const each = commands[index];
      if (each === undefined) continue;
      const partly = each.do === 'cancel' && keptOf(this.world, each.booking) > 0 ? ' what was kept of' : '';
      const name = `${each.do}${partly}: ${code || 'done'}`;
      this.told.set(name, (this.told.get(name) ?? 0) + 1);
    }
    const name = `step ${step}, ${commands.map(wordsOf).join(' and ')}, ${answers.map(({ code }) => code || 'done').join(' and ')}`;
    const before = this.world;
    this.world = this.#agreed(commands, answers) ?? this.#fault(name, answers);
    // A command that lost against a concurrent one may have claimed slots before.
    const lost = rivals || (command.do === 'modify' && answers.some(({ code }) => code !== ''));
    if (lost) this.world = await this.#house.settle(this.world);
    const [request] = requests;
    const [answer] = answers;
    if (!rivals && request !== undefined && answer?.code === '' && this.#random.percent(REPEATED_PERCENT))
      await this.#repeat(name, request, answer, this.world !== before);
    await this.#look(name, commands);
  }

  /** The world in which all was answered as it must be: of two at once either was first, or one of them lost. */
  #agreed(commands: readonly Command[], answers: readonly Told[]): World | null {
    const pairs = commands.flatMap((command, index) => {
      const answer = answers[index];
      return answer === undefined ? [] : [{ command, answer }];
    });
    for (const order of [pairs, pairs.toReversed()]) {
      let world: World | null = this.world;
      for (const { command, answer } of order) {
        if (world === null) break;
        const refusals = refusalsOf(world, command);
        const lost = pairs.length > 1 && answer.code === 'REVISION_CONFLICT';
        if (answer.code === '' && (refusals.length === 0 || refusals.includes('none')))
          world = after(world, command, idOf(answer));
        else if (!refusals.includes(answer.code) && !lost) world = null;
      }
      if (world !== null) return world;
    }
    return null;
  }

  #fault(name: string, answers: readonly Told[]): World {
    this.faults.push(`${name}: ${answers.map(({ error }) => error).join(' and ')} was not to be`);
    return this.world;
  }

  /** The same request again adds nothing, and is answered as before. */
  async #repeat(name: string, request: Request, answer: Told, changed: boolean): Promise<void> {
    const keyed = request.headers['idempotency-key'] !== undefined;
    if (!keyed && request.as !== 'operator') return;
    const before = await this.#house.length();
    const again = await this.#house.tell(request);
    const length = await this.#house.length();
    if (length !== before) this.faults.push(`${name}: the repetition was written down`);
    if (again.code !== '' || idOf(again) !== idOf(answer))
      this.faults.push(`${name}: the repetition was answered ${again.code} ${JSON.stringify(again.data)}`);
    // What changed nothing is nobody's to remember.
    if (keyed && changed && !again.replayed) this.faults.push(`${name}: the repetition does not say that it is one`);
  }

  /** What was touched must read as it was reckoned, and so must the inventory. */
  async #look(name: string, commands: readonly Command[]): Promise<void> {
    const [command] = commands;
    if (command === undefined) return;
    if ('booking' in command) await this.#lookAt(name, command.booking);
    if (!('offer' in command)) return;
    const free = await freeSlots(this.#house, command.offer.activity, command.date);
    const reckoned = freeOn(this.world, command.offer, command.date);
    if (free !== reckoned) this.faults.push(`${name}: ${free} are free, and must be ${reckoned}`);
  }

  async #lookAt(name: string, id: string): Promise<void> {
    const { data } = await this.#house.tell({ ...read(`/api/b2a/bookings/${id}`) });
    const { offer, status, date, adults, name: guest, erased, refundMinor } = bookingOf(this.world, id);
    const pricing = data['pricing'] as { readonly total: number };
    const cancellation = data['cancellation'] as { readonly refund_amount: number } | null;
    const found = [data['status'], data['booking_date'], data['num_adults'], data['user_name'], pricing.total];
    const wanted = [status, date, adults, erased ? data['user_name'] : guest, (offer.unitMinor * adults) / 100];
    const back = status === 'cancelled' || refundMinor !== null ? (refundMinor ?? 0) / 100 : null;
    const given = cancellation === null || status === 'rejected' ? null : cancellation.refund_amount;
    if (!Bun.deepEquals([...found, given], [...wanted, back]))
      this.faults.push(`${name}: ${id} is ${[...found, given].join()}, and must be ${[...wanted, back].join()}`);
    if (erased && String(data['user_name']).includes('quetzal')) this.faults.push(`${name}: ${id} tells of its guest`);
  }

  async #requestOf(command: Command): Promise<Request> {
    const headers = this.#random.percent(60) ? { 'idempotency-key': `key-${++this.#keys}` } : {};
    const post = (path: string, body: object, as: Request['as'] = 'key', more = {}): Request => {
      return { method: 'POST', path, as, body, headers: { ...headers, ...more } };
    };
    switch (command.do) {
      case 'hold': {
        const { offer, date, adults } = command;
        return post('/api/b2a/holds', { activity_id: offer.activity, booking_date: date, num_adults: adults });
      }
      case 'let go':
        return { method: 'DELETE', path: `/api/b2a/holds/${command.hold}`, as: 'key', body: null, headers: {} };
      case 'book': {
        const { offer, date, adults, name, hold } = command;
        const spot = { activity_id: offer.activity, booking_date: date, num_adults: adults };
        const guest = { user_name: name, user_email: 'a@example.com' };
        return post('/api/b2a/execute_booking', { ...spot, ...guest, ...(hold === null ? {} : { hold_id: hold }) });
      }
      case 'modify': {
        const { booking, date, adults, name, ifVersion } = command;
        const change = {
          booking_date: date ?? undefined,
          num_adults: adults ?? undefined,
          user_name: name ?? undefined,
        };
        return post(`/api/b2a/bookings/${booking}/modify`, change, 'key', matching(ifVersion));
      }
      case 'cancel':
        return post(`/api/b2a/bookings/${command.booking}/cancel`, {}, 'key', matching(command.ifVersion));
      case 'call off':
        return post(`/api/bookings/${command.booking}/cancel`, { reason: 'weather' }, 'operator');
      case 'visit': {
        const { data } = await this.#house.tell(read(`/api/b2a/bookings/${command.booking}`));
        const { code } = data['voucher'] as { readonly code: string };
        return post('/api/venue/verify', { code, gate: 'north' }, 'gate');
      }
      default:
        return { ...post(`/api/bookings/${command.booking}/${command.do}`, {}, 'operator'), headers: {} };
    }
  }
}

function matching(version: number | null): Readonly<Record<string, string>> {
  return version === null ? {} : { 'if-match': `"${version}"` };
}

function idOf({ data }: Told): string {
  const id = data['booking_id'] ?? data['hold_id'];
  return typeof id === 'string' ? id : '';
}

function wordsOf(command: Command): string {
  return JSON.stringify(command, (key, value: unknown) =>
    key === 'offer' ? (value as { activity: string }).activity : value,
  );
}
