/** @returns `ListAccounts` for `list-accounts`, and `Default4xx` for `DEFAULT_4XX` */
export function pascalCase(name: string): string {
  return name
    .split(/[-_]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
    .join('');
}
