/** The exit code of a command that was interrupted. */
export const INTERRUPTED = 130;
/** npm passes Ctrl-C on, so that it arrives twice: a second signal counts only after this time. */
const SECOND_SIGNAL_MS = 1_000;

/**
 * Calls `handler` on the first SIGINT or SIGTERM; a second one, a second or more later, ends the process immediately.
 * @returns a handle that restores the default behaviour when it is disposed
 */
export function onInterrupt(handler: () => void): Disposable {
  let interruptedAt: number | undefined;
  const listener = () => {
    if (interruptedAt === undefined) {
      interruptedAt = performance.now();
      handler();
    } else if (performance.now() - interruptedAt >= SECOND_SIGNAL_MS) process.exit(INTERRUPTED);
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, listener);
  return { [Symbol.dispose]: () => void signals.map((signal) => process.off(signal, listener)) };
}

/**
 * Runs `work` with an AbortSignal that is aborted on the first SIGINT (Ctrl-C) or SIGTERM.
 * @param notify is called before the signal is aborted
 * @returns the exit code of `work`, or 130 if it threw after the interruption
 */
export async function interruptible(
  notify: () => void,
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const interrupted = new AbortController();
  using _ = onInterrupt(() => {
    notify();
    interrupted.abort(new Error('interrupted'));
  });
  try {
    return await work(interrupted.signal);
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    return INTERRUPTED;
  }
}
