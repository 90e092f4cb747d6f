import { systemClock } from '../../../base/index.ts';
import { loadGatewaySettings } from '../../../config/gateway/index.ts';
import { findStorage, resolveHome } from '../../../config/index.ts';
import { PLATFORMS } from '../../../platforms/index.ts';
import { openStore } from '../../../runtime/index.ts';
import { openJobs } from '../../../runtime/open-jobs.ts';
import { findJob, hasWork, readJobs, type RunOutcome, runDueJobs, runJobNow } from '../../../schedules/index.ts';
import { openRuntime, type RunGatewayOptions } from '../run-gateway.ts';
import { openCommandMessaging } from '../sending/command-messaging.ts';
import { DELIVERY_MS, schedulingOf } from './job-scheduling.ts';

export type RunJobsOptions = Pick<RunGatewayOptions, 'env' | 'workingDirectory' | 'signal' | 'onNotice'> & {
  /** Called with a sentence when jobs were imported into a database. */
  onImported(text: string): void;
};

/** Runs the jobs that are due, without a gateway. Returns the number of runs. */
export async function runJobsOnce(options: RunJobsOptions): Promise<number> {
  // Most calls find nothing to do, so the agents are opened only if there is something.
  if (!(await isNeeded(options))) return 0;
  return withScheduling(options, (scheduling) => runDueJobs(scheduling, options.signal));
}

async function isNeeded({ env, onImported }: RunJobsOptions): Promise<boolean> {
  const home = resolveHome(env);
  const storage = await findStorage({ home, env });
  const store = await openStore({ home, storage });
  try {
    const parts = { home, env, store, storage, clock: systemClock, messaging: undefined };
    const opened = await openJobs({ ...parts, onImported });
    return await hasWork(opened, systemClock.now());
  } finally {
    await store.close();
  }
}

/** Runs one job now, whatever its schedule says. */
export async function runNamedJob(options: RunJobsOptions, reference: string): Promise<RunOutcome | undefined> {
  return withScheduling(options, async (scheduling) => {
    const job = findJob(readJobs(await scheduling.jobs.list(), scheduling.timeZone), reference);
    return runJobNow(scheduling, job, options.signal);
  });
}

async function withScheduling<Value>(
  options: RunJobsOptions,
  use: (scheduling: ReturnType<typeof schedulingOf>) => Promise<Value>,
): Promise<Value> {
  const { env, onImported } = options;
  const home = resolveHome(env);
  const settings = await loadGatewaySettings({ home, env, platforms: PLATFORMS });
  const runtime = await openRuntime(options, settings, home);
  const { store, clock, blueprint } = runtime;
  try {
    const messaging =
      settings.platforms.length === 0 ? undefined : await openCommandMessaging({ home, env, sessions: store, clock });
    try {
      const { storage } = blueprint.settings;
      const opened = await openJobs({ home, env, store, storage, clock, messaging, onImported });
      return await use(schedulingOf(runtime, opened, { messaging, deliveryMs: DELIVERY_MS.command }));
    } finally {
      await messaging?.close();
    }
  } finally {
    await runtime.close();
  }
}
