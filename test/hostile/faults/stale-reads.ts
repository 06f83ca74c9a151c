/** What an item was before a write; undefined if there was none. */
interface Earlier {
  readonly key: TypedItem;
  readonly item: TypedItem | undefined;
  readonly until: number;
}

/** Items as they were before recent writes, for the responses to eventually consistent reads: a replica of DynamoDB may not have these writes yet. */
export class StaleReads {
  readonly #ms: number;
  readonly #earlier = new Map<string, Earlier>();
  /** Items that were replaced in responses. */
  replaced = 0;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** @param item as it was before the write */
  remember(key: TypedItem, item: TypedItem | undefined): void {
    if (this.#of(key) === undefined) this.#earlier.set(textOf(key), { key, item, until: performance.now() + this.#ms });
  }

  /** @returns the response to the read as a late replica would send it */
  respond({ action, input }: TableRequest, response: Readonly<Record<string, unknown>>): object {
    if (action === 'GetItem') {
      const { Item: _, ...rest } = response;
      const [item] = this.#replace(response.Item === undefined ? [] : [Object(response.Item)], [Object(input.Key)]);
      return item === undefined ? rest : { ...rest, Item: item };
    }
    if (action === 'BatchGetItem') {
      const [[table, items] = ['', []]] = Object.entries(Object(response.Responses));
      const keys = batchMembers(input).map((key) => keyOf(Object(key)));
      return { ...response, Responses: { [table]: this.#replace(Array.isArray(items) ? items : [], keys) } };
    }
    return this.#respondToQuery(input, response);
  }

  /** The response to a query with a limit, and pages of several, are left as they are. */
  #respondToQuery(input: TableRequest['input'], response: Readonly<Record<string, unknown>>): object {
    const { Limit: limit, ExclusiveStartKey: start } = input;
    if (limit !== undefined || start !== undefined || response.LastEvaluatedKey !== undefined) return response;
    const { ':pk': pk, ':from': from, ':to': to } = Object(input.ExpressionAttributeValues);
    const inRange = (key: TypedItem) => {
      const sk = String(Object(key.sk).S);
      return Object(key.pk).S === pk?.S && sk >= String(from?.S ?? '') && (to === undefined || sk <= String(to.S));
    };
    const keys = [...this.#earlier.values()].map(({ key }) => key).filter(inRange);
    const items = this.#replace(Array.isArray(response.Items) ? response.Items : [], keys);
    const sorted = items.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
    return {
      ...response,
      Items: input.ScanIndexForward === false ? sorted.toReversed() : sorted,
      Count: sorted.length,
    };
  }

  /** @param keys what may have been read, whether or not it was found */
  #replace(items: readonly TypedItem[], keys: readonly TypedItem[]): TypedItem[] {
    const found = new Map(items.map((item) => [textOf(item), item]));
    for (const key of keys) {
      const earlier = this.#of(key);
      if (earlier === undefined) continue;
      this.replaced += 1;
      if (earlier.item === undefined) found.delete(textOf(key));
      else found.set(textOf(key), earlier.item);
    }
    return [...found.values()];
  }

  #of(key: TypedItem): Earlier | undefined {
    const earlier = this.#earlier.get(textOf(key));
    if (earlier === undefined || earlier.until > performance.now()) return earlier;
    this.#earlier.delete(textOf(key));
    return undefined;
  }
}

/** A key or an item as DynamoDB's JSON has it: attributes by name, each with its type. */
export type TypedItem = Readonly<Record<string, unknown>>;

/** What a request to the table writes and reads, as far as faults depend on it. */
export interface TableRequest {
  readonly action: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export function parseRequest(target: string | undefined, body: string): TableRequest {
  return { action: String(target).replace('DynamoDB_20120810.', ''), input: Object(JSON.parse(body)) };
}

/** @returns a text that identifies the item */
export function textOf(item: TypedItem): string {
  return `${Object(item.pk).S}\0${Object(item.sk).S}`;
}

export function keyOf({ pk, sk }: TypedItem): TypedItem {
  return { pk, sk };
}

/** @returns the keys that the request writes; none for reads */
export function writtenKeys({ action, input }: TableRequest): TypedItem[] {
  switch (action) {
    case 'PutItem':
      return [keyOf(Object(input.Item))];
    case 'UpdateItem':
    case 'DeleteItem':
      return [keyOf(Object(input.Key))];
    case 'BatchWriteItem':
      return batchMembers(input).map((member) => {
        const { PutRequest, DeleteRequest } = Object(member);
        return keyOf(Object(PutRequest?.Item ?? DeleteRequest?.Key));
      });
    default:
      return [];
  }
}

/** @returns the keys or writes of a batch of one table */
export function batchMembers(input: TableRequest['input']): readonly unknown[] {
  const [members] = Object.values(Object(input.RequestItems));
  if (Array.isArray(members)) return members;
  const { Keys } = Object(members);
  return Array.isArray(Keys) ? Keys : [];
}

export function isEventualRead({ action, input }: TableRequest): boolean {
  if (action === 'GetItem' || action === 'Query') return input.ConsistentRead !== true;
  const [batch] = Object.values(Object(input.RequestItems));
  return action === 'BatchGetItem' && Object(batch).ConsistentRead !== true;
}
