import type { Random } from '../../chaos/kill/random.ts';
import { pricingOf } from '../../support/expected-price.ts';
import { anyCommand, anyRival, type Choosing } from './choices.ts';
import { after, bookingOf, type Command, freeOn, keptOf, refusalsOf, type World } from './reckoning.ts';
import { freeSlots, type Request, read, type ServiceAnswer, type TestedService } from './tested-service.ts';

const REPEATED_PERCENT = 30;
const WAITING_PERCENT = 10;

/**
 * Sends random commands, one after the other or two concurrently, repeats many of them, and compares each answer with a
 * model that knows only the offers and the earlier answers. Returns the final model, the number of answers by kind, and
 * the differences.
 */
export async function play(tested: TestedService, steps: number, random: Random) {
  const player = new Player(tested, random);
  for (let step = 0; step < steps; step++) await player.step(step);
  const { world, faults, answerCounts } = player;
  return { world, faults, answerCounts };
}

class Player {
  readonly faults: string[] = [];
  readonly answerCounts = new Map<string, number>();
  world: World;
  readonly #tested: TestedService;
  readonly #random: Random;
  #names = 0;
  #keys = 0;

  constructor(tested: TestedService, random: Random) {
    this.#tested = tested;
    this.#random = random;
    this.world = tested.world;
  }

  async step(step: number): Promise<void> {
    this.world = this.#tested.now(this.world);
    if (this.#random.percent(WAITING_PERCENT)) this.world = await this.#tested.wait(this.world, this.#random);
    const choosing: Choosing = {
      random: this.#random,
      offers: this.#tested.offers,
      dates: this.#tested.dates(),
      name: () => `Guest quetzal-${String(++this.#names).padStart(6, '0')}`,
    };
    const command = anyCommand(this.world, choosing);
    const rivals = 'booking' in command && this.#random.percent(this.#tested.rivalPercent);
    const commands = rivals ? [command, anyRival(this.world, command.booking, choosing)] : [command];
    const requests = await Promise.all(commands.map((each) => this.#requestOf(each)));
    const answers = await Promise.all(requests.map((request) => this.#tested.send(request)));
    for (const [index, { code }] of answers.entries()) {
      const each = commands[index];
      if (each === undefined) continue;
      const partly = each.do === 'cancel' && keptOf(this.world, each.booking) > 0 ? ' what was kept of' : '';
      const name = `${each.do}${partly}: ${code || 'done'}`;
      this.answerCounts.set(name, (this.answerCounts.get(name) ?? 0) + 1);
    }
    const name = `step ${step}, ${commands.map(wordsOf).join(' and ')}, ${answers.map(({ code }) => code || 'done').join(' and ')}`;
    const before = this.world;
    this.world = this.#agreed(commands, answers) ?? this.#fault(name, answers);
    // A command that lost a race may have claimed slots before.
    const lost = rivals || (command.do === 'modify' && answers.some(({ code }) => code !== ''));
    if (lost) this.world = await this.#tested.settle(this.world);
    const [request] = requests;
    const [answer] = answers;
    if (!rivals && request !== undefined && answer?.code === '' && this.#random.percent(REPEATED_PERCENT))
      await this.#repeat(name, request, answer, this.world !== before);
    await this.#look(name, commands);
  }

  /** The model that explains all answers: of two concurrent commands, either came first, or one lost. */
  #agreed(commands: readonly Command[], answers: readonly ServiceAnswer[]): World | null {
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

  #fault(name: string, answers: readonly ServiceAnswer[]): World {
    this.faults.push(`${name}: ${answers.map(({ error }) => error).join(' and ')} was not to be`);
    return this.world;
  }

  /** A repeated request appends nothing and gets the same answer. */
  async #repeat(name: string, request: Request, answer: ServiceAnswer, changed: boolean): Promise<void> {
    const keyed = request.headers['idempotency-key'] !== undefined;
    if (!keyed && request.as !== 'operator') return;
    const before = await this.#tested.length();
    const again = await this.#tested.send(request);
    const length = await this.#tested.length();
    if (length !== before) this.faults.push(`${name}: the repetition was written down: ${before} became ${length}`);
    if (again.code !== '' || idOf(again) !== idOf(answer))
      this.faults.push(`${name}: the repetition was answered ${again.code} ${JSON.stringify(again.data)}`);
    // A command without an effect is not stored.
    if (keyed && changed && !again.replayed) this.faults.push(`${name}: the repetition does not say that it is one`);
  }

  /** Reads the changed booking and the inventory, and compares both with the model. */
  async #look(name: string, commands: readonly Command[]): Promise<void> {
    const [command] = commands;
    if (command === undefined) return;
    if ('booking' in command) await this.#lookAt(name, command.booking);
    if (!('offer' in command)) return;
    const free = await freeSlots(this.#tested, command.offer.activity, command.date);
    const reckoned = freeOn(this.world, command.offer, command.date);
    if (free !== reckoned) this.faults.push(`${name}: ${free} are free, and must be ${reckoned}`);
  }

  async #lookAt(name: string, id: string): Promise<void> {
    const { data } = await this.#tested.send({ ...read(`/api/b2a/bookings/${id}`) });
    const { offer, status, date, adults, name: guest, erased, refundMinor, price } = bookingOf(this.world, id);
    const cancellation = data['cancellation'] as { readonly refund_amount: number } | null;
    const found = [data['status'], data['booking_date'], data['num_adults'], data['user_name'], data['pricing']];
    const wanted = [status, date, adults, erased ? data['user_name'] : guest, pricingOf(price, offer.currency)];
    const back = status === 'cancelled' || refundMinor !== null ? (refundMinor ?? 0) / 100 : null;
    const given = cancellation === null || status === 'rejected' ? null : cancellation.refund_amount;
    if (!Bun.deepEquals([...found, given], [...wanted, back]))
      this.faults.push(
        `${name}: ${id} is ${JSON.stringify([...found, given])}, and must be ${JSON.stringify([...wanted, back])}`,
      );
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
      case 'release hold':
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
        const { data } = await this.#tested.send(read(`/api/b2a/bookings/${command.booking}`));
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

function idOf({ data }: ServiceAnswer): string {
  const id = data['booking_id'] ?? data['hold_id'];
  return typeof id === 'string' ? id : '';
}

function wordsOf(command: Command): string {
  return JSON.stringify(command, (key, value: unknown) =>
    key === 'offer' ? (value as { activity: string }).activity : value,
  );
}
