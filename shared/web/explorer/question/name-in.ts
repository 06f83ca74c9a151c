/** @returns the name, if the table has it */
export function nameIn<Table extends object>(table: Table, name: string): (keyof Table & string) | undefined {
  return Object.hasOwn(table, name) ? (name as keyof Table & string) : undefined;
}
