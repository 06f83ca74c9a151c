/** @returns the pieces concatenated in a buffer of their own, which can be transferred to another thread */
export function joinPieces(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  copyPieces(pieces, joined);
  return joined;
}

/** Copies the pieces one after another into `target`, which must be large enough. */
export function copyPieces(pieces: readonly Uint8Array[], target: Uint8Array): void {
  let at = 0;
  for (const piece of pieces) {
    target.set(piece, at);
    at += piece.length;
  }
}
