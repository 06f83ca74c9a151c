import { useEffect, useRef, useState } from 'preact/hooks';
import { format } from '../question/format.ts';

export interface TaskOptions {
  /** To be called after each page, with the number of rows read so far and the total number of rows. */
  readonly onProgress: (rows: number, total: number) => void;
  readonly signal: AbortSignal;
}

export interface Task {
  /** Such as `CSV`. */
  readonly what: string;
  readonly verb: 'copied' | 'downloaded';
  readonly work: (options: TaskOptions) => Promise<void>;
  /** The end of the status once it is done. */
  readonly more?: string;
}

/**
 * @param about what tasks are about: the status of one that has ended goes with it
 * @returns the last task's status, what cancels a running download, and what starts a task in place of it
 */
export function useTasks(about: unknown) {
  const [status, setStatus] = useState('');
  const [cancel, setCancel] = useState<() => void>();
  const last = useRef<AbortController>(undefined);
  useEffect(() => () => last.current?.abort(), []);
  useEffect(() => {
    if (cancel === undefined) setStatus('');
  }, [about]);
  const start = async ({ what, verb, work, more = '' }: Task) => {
    const controller = new AbortController();
    const { signal } = controller;
    last.current?.abort();
    last.current = controller;
    const show = (text: string, isRunning: boolean) => {
      if (last.current !== controller) return;
      setStatus(text);
      setCancel(() => (isRunning ? () => controller.abort() : undefined));
    };
    show(`${what}…`, verb === 'downloaded');
    const onProgress = (rows: number, total: number) =>
      show(`${what}: ${format.count(rows)} of ${format.count(total)} rows`, true);
    try {
      await work({ onProgress, signal });
      show(`${what} ${verb}${more}`, false);
    } catch (error) {
      const reason = signal.aborted ? 'cancelled' : error instanceof Error ? error.message : 'unknown error';
      show(`${what} not ${verb}: ${reason}`, false);
    }
  };
  return { status, cancel, start };
}
