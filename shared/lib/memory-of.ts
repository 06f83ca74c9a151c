/** Memory of a small object, or of an entry of a map. */
export const OBJECT_BYTES = 100;
const REFERENCE_BYTES = 16;

/** @returns about how many bytes of memory the value takes with all that it refers to; a view takes all of its buffer, once */
export function memoryOf(value: unknown, buffers = new Set<unknown>()): number {
  if (ArrayBuffer.isView(value)) {
    const isNew = buffers.size < buffers.add(value.buffer).size;
    return 2 * OBJECT_BYTES + (isNew ? value.buffer.byteLength : 0);
  }
  if (typeof value === 'string') return 2 * value.length;
  if (typeof value !== 'object' || value === null) return 0;
  const members = value instanceof Map ? [...value.values()] : Object.values(value);
  return members.reduce((sum: number, member) => sum + REFERENCE_BYTES + memoryOf(member, buffers), OBJECT_BYTES);
}
