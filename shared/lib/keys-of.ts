/** @returns the own keys of a literal, which has no members but those of its type */
export const keysOf = <Table extends object>(table: Table): (keyof Table & string)[] =>
  Object.keys(table) as (keyof Table & string)[]; // TypeScript allows an object more members than its type
