import type { ScheduledJobs } from '../../../contracts/index.ts';
import { deferJobs } from '../../../runtime/defer-jobs.ts';
import type { Runtime } from '../../../runtime/index.ts';

/** The jobs that the agent of a terminal chat can schedule. */
export function createChatJobs({ store, clock, logger, blueprint: { settings, messaging } }: Runtime): ScheduledJobs {
  const { home, storage, variables: env } = settings;
  return deferJobs(async () => {
    const { openJobs } = await import('../../../runtime/open-jobs.ts');
    const onImported = (text: string) => logger.info(text);
    return (await openJobs({ home, env, store, storage, clock, messaging, onImported })).jobs;
  });
}
