/** @returns the pieces one after another, copied into a buffer of their own, which can be given to another thread */
export function joinPieces(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  copyPieces(pieces, joined);
  return joined;
}

/** Copies the pieces one after another into `target`, which has room for them. */
export function copyPieces(pieces: readonly Uint8Array[], target: Uint8Array): void {
  let at = 0;
  for (const piece of pieces) {
    target.set(piece, at);
    at += piece.length;
  }
}
