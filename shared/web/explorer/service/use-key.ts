import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { storedKey } from './session.ts';

/** What the tabs of one origin send each other. */
type Message =
  | { readonly type: 'request'; readonly id: number }
  | { readonly type: 'key'; readonly id: number; readonly key: string }
  | { readonly type: 'removed'; readonly key: string };

interface KeyState {
  readonly key: string | undefined;
  /** @param isKept whether the device keeps it, too */
  readonly write: (key: string, isKept: boolean) => void;
  /** Removes the key from this device, and from all tabs that have it. */
  readonly remove: () => void;
}

/**
 * A tab without a key requests that of an open tab, which sends it without storing it anywhere.
 * @param mayKeep false if the operator does not allow keys to be kept on devices: one that is kept is removed
 * @param onRemoved called when another tab has removed the key
 */
export function useKey(mayKeep: boolean, onRemoved: () => void): KeyState {
  const [key, setKey] = useState(() => {
    if (!mayKeep) storedKey.removeKept();
    return storedKey.read();
  });
  const channel = useRef<BroadcastChannel>(undefined);
  /** The id of this tab's own request, until it has a key. */
  const asked = useRef<number>(undefined);
  const send = (message: Message) => channel.current?.postMessage(message);
  useEffect(() => {
    const opened = new BroadcastChannel('endcap.key');
    channel.current = opened;
    opened.onmessage = ({ data: message }: MessageEvent<Message>) => {
      if (message.type === 'request' && key !== undefined) send({ type: 'key', id: message.id, key });
      if (message.type === 'key' && message.id === asked.current) write(message.key, false);
      if (message.type === 'removed' && message.key === key) {
        storedKey.remove();
        setKey(undefined);
        onRemoved();
      }
    };
    return () => opened.close();
  }, [key, onRemoved]);
  useEffect(() => {
    if (key !== undefined) return;
    asked.current = Math.random();
    send({ type: 'request', id: asked.current });
  }, []);
  const write = useCallback((next: string, isKept: boolean) => {
    asked.current = undefined;
    storedKey.write(next, isKept);
    setKey(next);
  }, []);
  const remove = useCallback(() => {
    if (key !== undefined) send({ type: 'removed', key });
    storedKey.remove();
    setKey(undefined);
  }, [key]);
  return { key, write, remove };
}
