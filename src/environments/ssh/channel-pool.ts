import type { ChildProcess } from 'node:child_process';
import { createShellChannel, type ShellChannel } from './shell-channel.ts';

/** Servers allow 10 sessions per connection by default, and every background process uses one. */
const MAX_IDLE = 2;

/** More scripts at a time wait for each other in the remote shell, which is quicker than starting another one. */
const MAX_SHARED = 2;

/** The remote shells of a connection. */
export interface ChannelPool {
  /** A channel for one request, after which it is idle again. */
  take(): ShellChannel;
  /** A channel for a short script without stdin, which may have to wait for others. */
  share(): ShellChannel;
  /** Starts a channel for the next request if none is idle. */
  prepare(): void;
  /** Closes the idle channels. */
  clear(): void;
}

/** `start` runs `ssh` with the loop of a remote shell. */
export function createChannelPool(start: () => ChildProcess): ChannelPool {
  let idle: ShellChannel[] = [];
  const shared = new Set<ShellChannel>();

  function open(): ShellChannel {
    const channel: ShellChannel = createShellChannel(start(), {
      onIdle() {
        shared.delete(channel);
        channel.hold(false);
        if (idle.length < MAX_IDLE && channel.isOpen()) idle.push(channel);
        else channel.close();
      },
      onGone() {
        shared.delete(channel);
        idle = idle.filter((each) => each !== channel);
      },
    });
    return channel;
  }

  function take(): ShellChannel {
    idle = idle.filter((each) => each.isOpen());
    return idle.pop() ?? open();
  }

  return {
    take,
    share() {
      const busy = [...shared].filter((each) => each.isOpen()).sort((one, other) => one.load() - other.load());
      const channel = busy.length < MAX_SHARED ? take() : (busy[0] as ShellChannel);
      shared.add(channel);
      return channel;
    },
    prepare() {
      if (idle.length > 0) return;
      const channel = open();
      channel.hold(false);
      idle.push(channel);
    },
    clear() {
      for (const channel of idle.splice(0)) channel.close();
    },
  };
}
