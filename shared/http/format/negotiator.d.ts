/** What Endcap uses of the package, which has no types of its own. */
declare module 'negotiator' {
  export class Negotiator {
    constructor(request: { readonly headers: Readonly<Record<string, string>> });
    mediaType(available: readonly string[]): string | undefined;
    encoding(available: readonly string[], options: { readonly preferred: readonly string[] }): string | undefined;
  }
}
