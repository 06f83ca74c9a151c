/** The keys of each member of a union. */
type KeyOf<Table> = Table extends unknown ? keyof Table & string : never;

/** @returns the own keys of a literal, which has no members but those of its type */
export const keysOf = <Table extends object>(table: Table): KeyOf<Table>[] => Object.keys(table) as KeyOf<Table>[]; // TypeScript allows an object more members than its type
