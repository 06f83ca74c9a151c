import { isDeepStrictEqual } from 'node:util';
import { compareText } from '../../shared/lib/compare-text.ts';
import { asRecord } from '../../shared/store/table/item.ts';

/** What the placeholders of a request's expressions stand for. */
export interface Placeholders {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
}

type Attributes = Readonly<Record<string, unknown>>;

/** Reads an expression of DynamoDB token by token. It has those parts of the grammar that the product uses, and throws an Error for others. */
class Expression {
  readonly #text: string;
  readonly #tokens: string[];
  readonly #placeholders: Placeholders;
  readonly #item: Attributes;

  /** @param item as it is before the request; without attributes if it does not exist */
  constructor(text: string, placeholders: Placeholders, item: Attributes) {
    this.#text = text;
    this.#tokens = text.match(/[#:\w][#\w.]*|[<>]=|\S/g) ?? [];
    this.#placeholders = placeholders;
    this.#item = item;
  }

  get isRead(): boolean {
    return this.#tokens.length === 0;
  }

  take(token: string): boolean {
    if (this.#tokens[0] !== token) return false;
    this.#tokens.shift();
    return true;
  }

  expect(token: string): void {
    if (!this.take(token)) throw this.unknown();
  }

  unknown(): Error {
    return new Error(`a table in memory does not have the expression ${this.#text}`);
  }

  /** @returns the names on a path such as `#lease.#token` */
  path(): string[] {
    return (this.#tokens.shift() ?? '').split('.').map((part) => {
      const name = part.startsWith('#') ? this.#placeholders.ExpressionAttributeNames?.[part] : part;
      if (name === undefined || !/^\w+$/.test(name)) throw this.unknown();
      return name;
    });
  }

  /** @returns a given value, or that of an attribute; undefined if there is none */
  operand(): unknown {
    if (!this.#tokens[0]?.startsWith(':')) return valueAt(this.#item, this.path());
    const value = this.#placeholders.ExpressionAttributeValues?.[this.#tokens.shift() ?? ''];
    if (value === undefined) throw this.unknown();
    return value;
  }

  condition(): boolean {
    let holds = this.#conjunction();
    while (this.take('OR')) holds = this.#conjunction() || holds; // reads the right side in any case
    return holds;
  }

  #conjunction(): boolean {
    let holds = this.#comparison();
    while (this.take('AND')) holds = this.#comparison() && holds;
    return holds;
  }

  #comparison(): boolean {
    if (this.take('(')) return this.#closing(this.condition());
    if (this.take('attribute_exists')) return this.#attribute() !== undefined;
    if (this.take('attribute_not_exists')) return this.#attribute() === undefined;
    const left = this.operand();
    const operator = this.#tokens.shift();
    const right = this.operand();
    if (operator === '=') return left !== undefined && isDeepStrictEqual(left, right);
    if (operator === 'BETWEEN') {
      this.expect('AND');
      const last = this.operand();
      return compare(left, right) >= 0 && compare(left, last) <= 0;
    }
    if (operator === '<') return compare(left, right) < 0;
    if (operator === '<=') return compare(left, right) <= 0;
    if (operator === '>=') return compare(left, right) >= 0;
    throw this.unknown();
  }

  #attribute(): unknown {
    this.expect('(');
    return this.#closing(this.operand());
  }

  #closing<Value>(value: Value): Value {
    this.expect(')');
    return value;
  }
}

/** @returns whether the condition holds of the item */
export function holds(text: string, placeholders: Placeholders, item: Attributes = {}): boolean {
  const expression = new Expression(text, placeholders, item);
  const found = expression.condition();
  if (!expression.isRead) throw expression.unknown();
  return found;
}

/** Changes `item` as the update says. @throws ValidationException if an attribute that it needs is absent or has another type */
export function applyUpdate(text: string, placeholders: Placeholders, item: Record<string, unknown>): void {
  const expression = new Expression(text, placeholders, structuredClone(item));
  const sum = (left: unknown, right: unknown) => {
    if (typeof left === 'number' && typeof right === 'number') return left + right;
    throw invalid(`${left} and ${right} cannot be added`);
  };
  const change = (clause: 'SET' | 'ADD' | 'REMOVE') => {
    const path = expression.path();
    const name = path.pop() ?? '';
    const parent = asRecord(valueAt(item, path));
    if (parent === undefined) throw invalid(`${path} does not exist`);
    if (clause === 'REMOVE') return Reflect.deleteProperty(parent, name);
    if (clause === 'ADD') return Reflect.set(parent, name, sum(parent[name] ?? 0, expression.operand()));
    expression.expect('=');
    const value = expression.operand();
    return Reflect.set(parent, name, expression.take('+') ? sum(value, expression.operand()) : value);
  };
  while (!expression.isRead) {
    const clause = (['SET', 'ADD', 'REMOVE'] as const).find((word) => expression.take(word));
    if (clause === undefined) throw expression.unknown();
    do change(clause);
    while (expression.take(','));
  }
}

/** @returns the error of DynamoDB for a request that is not valid */
export const invalid = (message: string) => Object.assign(new Error(message), { name: 'ValidationException' });

const valueAt = (item: Attributes, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => asRecord(value)?.[name], item);

/** @returns the order of two numbers or texts; NaN, for which no comparison holds, of others */
function compare(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  return typeof left === 'string' && typeof right === 'string' ? compareText(left, right) : Number.NaN;
}
