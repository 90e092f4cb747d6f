import type { CliIo } from '../cli-io.ts';
import type { Messaging } from '../../../contracts/index.ts';
import type { Runtime } from '../../../runtime/index.ts';

/**
 * Sends messages from a terminal chat. Platforms are connected for each call only: the account of a bot must be free for
 * a gateway that starts later.
 */
export function createChatMessaging({ store, clock, blueprint }: Runtime, { env }: CliIo): Messaging {
  async function use<Value>(task: (messaging: Messaging) => Promise<Value>): Promise<Value> {
    const { openCommandMessaging } = await import('../../gateway/index.ts');
    const messaging = await openCommandMessaging({ home: blueprint.settings.home, env, sessions: store, clock });
    try {
      return await task(messaging);
    } finally {
      await messaging.close();
    }
  }

  return {
    listTargets: () => use((messaging) => messaging.listTargets()),
    findTarget: (target) => use((messaging) => messaging.findTarget(target)),
    isCurrentChat: () => false,
    send: (target, text, signal) => use((messaging) => messaging.send(target, text, signal)),
  };
}
