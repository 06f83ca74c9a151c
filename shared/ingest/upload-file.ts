import type { Readable } from 'node:stream';
import { Upload } from '@aws-sdk/lib-storage';
import { type Bucket, SHA256_METADATA } from './bucket.ts';

/**
 * Uploads a file. A large one is sent in parts, several at a time, and only the parts that fail are sent again. S3 verifies the SHA-256 of each part.
 * @param file its hexadecimal SHA-256 becomes metadata of the object, so that the next upload of the same file can be skipped
 * @param signal ends the upload; requests in progress end later
 * @param onBytes called with the number of bytes that S3 has accepted since the last call
 * @throws the signal's reason if it aborts, an Error if S3 rejects the file or accepts no data. Unless the file is complete by then, the parts that were
 * sent are deleted
 */
export async function uploadFile(
  bucket: Bucket,
  key: string,
  { bytes, sha256, content }: { readonly bytes: number; readonly sha256: string; readonly content: Readable },
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<void> {
  signal.throwIfAborted();
  const upload = new Upload({
    client: bucket.client,
    leavePartsOnError: true, // they are deleted below, because Upload leaves them when the request that completes the upload fails
    params: {
      Bucket: bucket.name,
      Key: key,
      Body: content,
      ContentLength: bytes,
      ChecksumAlgorithm: 'SHA256',
      Metadata: { [SHA256_METADATA]: sha256 },
    },
  });
  let accepted = 0;
  upload.on('httpUploadProgress', ({ loaded = 0 }) => {
    onBytes(loaded - accepted);
    accepted = loaded;
  });
  const abort = () => void upload.abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    await upload.done();
  } catch (error) {
    // what cannot be deleted now is deleted by the bucket's lifecycle rule
    if (upload.uploadId !== undefined) await bucket.abortUpload(key, upload.uploadId).catch(() => undefined);
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
    content.destroy();
  }
}
