import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder unless it exists. If several processes do so at the same time, each writes a draft beside it, and the first that is complete becomes the folder.
 * @param write writes the content into the empty folder `draft`
 * @returns whether this call has written a draft
 */
export async function makeFolderOnce(folder: string, write: (draft: string) => Promise<void>): Promise<boolean> {
  if (existsSync(folder)) return false;
  mkdirSync(dirname(folder), { recursive: true });
  const draft = mkdtempSync(`${folder}.draft-`);
  try {
    await write(draft);
    renameUnlessExists(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return true;
}

/** Renames `draft` to `folder`. If another process has made `folder` first, both stay as they are. */
export function renameUnlessExists(draft: string, folder: string): void {
  try {
    renameSync(draft, folder);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && ['ENOTEMPTY', 'EEXIST'].includes(String(error.code))))
      throw error;
  }
}
