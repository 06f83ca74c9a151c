/**
 * @returns the named environment variables, none of them empty
 * @throws Error that names all missing or empty variables
 * @example const { TABLE_NAME } = readEnv(['TABLE_NAME']);
 */
export function readEnv<const Name extends string>(names: readonly Name[]): Readonly<Record<Name, string>> {
  const found: [Name, string][] = [];
  const missing: Name[] = [];
  for (const name of names) {
    const value = process.env[name];
    if (value === undefined || value === '') missing.push(name);
    else found.push([name, value]);
  }
  if (missing.length > 0) throw new Error(`the environment lacks ${missing.join(', ')}`);
  return Object.fromEntries(found) as Record<Name, string>; // every name was found, else the line above has thrown
}
