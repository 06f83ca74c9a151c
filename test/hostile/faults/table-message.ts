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
