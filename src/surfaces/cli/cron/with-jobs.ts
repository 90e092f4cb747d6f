import { systemClock } from '../../../base/index.ts';
import type { Messaging, SessionStore } from '../../../contracts/index.ts';
import { openJobs, type OpenedJobs } from '../../../runtime/open-jobs.ts';
import type { CliIo } from '../cli-io.ts';
import { printable } from '../style.ts';
import { storeLocation, withStore } from '../sessions/with-store.ts';

/** Opens the jobs for one command. Messaging platforms are connected only to check a delivery target. */
export async function withJobs<Value>(
  io: CliIo,
  use: (opened: OpenedJobs, store: SessionStore) => Promise<Value>,
): Promise<Value> {
  const { home, storage } = await storeLocation(io);
  const clock = io.clock ?? systemClock;
  return withStore(io, async (store) => {
    async function ask<Answer>(question: (messaging: Messaging) => Promise<Answer>): Promise<Answer> {
      const { openCommandMessaging } = await import('../../gateway/index.ts');
      const messaging = await openCommandMessaging({ home, env: io.env, sessions: store, clock });
      try {
        return await question(messaging);
      } finally {
        await messaging.close();
      }
    }
    const messaging = {
      findTarget: (target: string) => ask((opened) => opened.findTarget(target)),
      listTargets: () => ask((opened) => opened.listTargets()),
    };
    const onImported = (text: string) => void io.stderr.write(`${printable(text)}\n`);
    return use(await openJobs({ home, env: io.env, store, storage, clock, messaging, onImported }), store);
  });
}
