/**
 * Reads a page, with half as many items again and again while it would be too large.
 * @returns the page, and the number of items with which it was read
 */
export async function readFitting<Page>(read: (size: number) => Promise<Page>, size: number): Promise<[Page, number]> {
  try {
    return [await read(size), size];
  } catch (error) {
    if (size === 1 || Object(error).code !== 'PAGE_TOO_LARGE') throw error;
    return readFitting(read, Math.ceil(size / 2));
  }
}
