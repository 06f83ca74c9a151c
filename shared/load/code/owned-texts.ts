/** Texts that advertisers own: `advertisers[i]` owns `texts[i]`. Plain data, which threads are sent. */
export interface OwnedTexts {
  readonly texts: readonly string[];
  readonly advertisers: readonly number[];
}

/** Stand for a code that has not been looked up yet, and for a text without an owner; smaller values stand for several owners. */
const UNKNOWN = 0;
const NONE = -1;

/** The owners of coded texts; each text is looked up once. */
export class OwnersByCode {
  readonly #owners = new Map<string, number | Set<number>>();
  readonly #decode: (code: number) => string | null;
  /** By code, the single owner, or -2 - the index of several in `#several`. */
  #byCode = new Float64Array(1024);
  readonly #several: ReadonlySet<number>[] = [];

  constructor({ texts, advertisers }: OwnedTexts, decode: (code: number) => string | null) {
    this.#decode = decode;
    for (const [i, text] of texts.entries()) this.#add(text, advertisers[i] ?? NONE);
  }

  /** @returns whether the advertiser owns the text */
  has(code: number, advertiser: number): boolean {
    const owner = this.#ownerOf(code);
    return owner === advertiser || (owner < NONE && this.#several[-2 - owner]?.has(advertiser) === true);
  }

  /** @returns the advertiser that owns the text, or undefined if no advertiser or several own it */
  singleOwner(code: number): number | undefined {
    const owner = this.#ownerOf(code);
    return owner > 0 ? owner : undefined;
  }

  #add(text: string, advertiser: number): void {
    const known = this.#owners.get(text);
    if (known === undefined) this.#owners.set(text, advertiser);
    else if (typeof known === 'object') known.add(advertiser);
    else if (known !== advertiser) this.#owners.set(text, new Set([known, advertiser]));
  }

  #ownerOf(code: number): number {
    const known = this.#byCode[code] ?? UNKNOWN; // codes may be beyond
    return known === UNKNOWN ? this.#lookUp(code) : known;
  }

  #lookUp(code: number): number {
    if (code >= this.#byCode.length) {
      const grown = new Float64Array(2 * code);
      grown.set(this.#byCode);
      this.#byCode = grown;
    }
    const found = this.#owners.get(this.#decode(code) ?? '') ?? NONE;
    const owner = typeof found === 'object' ? -1 - this.#several.push(found) : found;
    this.#byCode[code] = owner;
    return owner;
  }
}
