import { statfs } from 'node:fs/promises';

/** With less, the table cannot go on. */
const MIN_FREE_BYTES = 1 << 20;

/** @returns an error that says so if the disk of the folder is full: the table then ends, so that its calls find nobody; else the error itself */
export async function explainFullDisk(folder: string, error: unknown): Promise<unknown> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= MIN_FREE_BYTES) return error;
  return new Error(`the disk of ${folder} is full: free some of it and try again`, { cause: error });
}
