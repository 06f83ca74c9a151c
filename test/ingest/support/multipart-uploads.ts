import { createHash } from 'node:crypto';

/** S3 rejects smaller parts, except the last one. */
const MIN_PART_BYTES = 5 << 20;

/** An upload in parts that is neither complete nor aborted. */
interface OpenUpload {
  readonly key: string;
  /** The metadata `sha256` of the finished object, which S3 does not verify. */
  readonly sha256: string | undefined;
  readonly parts: Map<number, Buffer>;
}

/** The code of S3's error. */
export type Rejected = 'NoSuchUpload' | 'InvalidPart' | 'InvalidPartOrder' | 'EntityTooSmall';

/** The uploads in parts of one bucket, as S3 keeps them. */
export class MultipartUploads {
  readonly #uploads = new Map<string, OpenUpload>();
  #created = 0;

  /** The keys of the uploads that are neither complete nor aborted. */
  get openKeys(): string[] {
    return [...this.#uploads.values()].map(({ key }) => key);
  }

  clear(): void {
    this.#uploads.clear();
  }

  /** @returns the id of the upload */
  create(key: string, sha256: string | undefined): string {
    const id = `upload-${++this.#created}`;
    this.#uploads.set(id, { key, sha256, parts: new Map() });
    return id;
  }

  /** A part that is sent again replaces the earlier one. */
  put(id: string, part: number, body: Buffer): Rejected | undefined {
    const upload = this.#uploads.get(id);
    if (upload === undefined) return 'NoSuchUpload';
    upload.parts.set(part, body);
    return undefined;
  }

  /** @param list the body of the request, which names each part with its checksum */
  complete(id: string, list: string): Rejected | { readonly body: Buffer; readonly sha256: string | undefined } {
    const upload = this.#uploads.get(id);
    if (upload === undefined) return 'NoSuchUpload';
    const named = [...list.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
      number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
      sum: /<ChecksumSHA256>([^<]+)</.exec(part)?.[1],
    }));
    const bodies: Buffer[] = [];
    for (const [index, { number, sum }] of named.entries()) {
      const body = upload.parts.get(number);
      if (body === undefined || sum !== sha256Of(body)) return 'InvalidPart';
      if (index > 0 && number <= (named[index - 1]?.number ?? 0)) return 'InvalidPartOrder';
      if (index < named.length - 1 && body.length < MIN_PART_BYTES) return 'EntityTooSmall';
      bodies.push(body);
    }
    if (bodies.length === 0) return 'InvalidPart';
    this.#uploads.delete(id);
    return { body: Buffer.concat(bodies), sha256: upload.sha256 };
  }

  abort(id: string): Rejected | undefined {
    return this.#uploads.delete(id) ? undefined : 'NoSuchUpload';
  }
}

/** @returns the SHA-256 in the form of S3's headers */
export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64');
}
