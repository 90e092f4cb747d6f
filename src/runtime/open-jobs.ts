import { type Clock, HermesError } from '../base/index.ts';
import { type CronSettings, loadGatewaySettings } from '../config/gateway/index.ts';
import type { EnvironmentVariables, StorageSettings } from '../config/index.ts';
import type { CronStore, Messaging, ScheduledJobs, SessionStore } from '../contracts/index.ts';
import {
  createJobFile,
  createJobTable,
  createScheduledJobs,
  type JobStorage,
  systemTimeZone,
} from '../schedules/index.ts';

export type JobsOptions = {
  home: string;
  env: EnvironmentVariables;
  store: Pick<SessionStore, 'openCronStore'>;
  /** Undefined for SQLite; jobs are then in a file, as in the original. */
  storage: StorageSettings | undefined;
  clock: Clock;
  /** Checks delivery targets; absent if there is no messaging platform. */
  messaging: Pick<Messaging, 'findTarget' | 'listTargets'> | undefined;
  /** Called with a sentence when jobs of the file were imported into the database. */
  onImported?(text: string): void;
};

/** The jobs of a home directory or database, and what a scheduler needs to run them. */
export type OpenedJobs = {
  jobs: ScheduledJobs;
  storage: JobStorage;
  runs: CronStore;
  settings: CronSettings;
  timeZone: string;
};

export async function openJobs(options: JobsOptions): Promise<OpenedJobs> {
  const { home, env, store, clock } = options;
  const { cron: settings } = await loadGatewaySettings({ home, env });
  const runs = await store.openCronStore();
  const now = () => clock.now();
  const storage = options.storage === undefined ? createJobFile(home, now) : createJobTable(runs);
  if (options.storage !== undefined) {
    const { importJobs } = await import('./import-jobs.ts');
    const onImported = options.onImported ?? (() => undefined);
    await importJobs({ home, storage: options.storage, table: storage, now, onImported });
  }
  const timeZone = settings.timeZone ?? systemTimeZone();
  const checkTarget = (target: string) => checkDelivery(target, options.messaging);
  return {
    jobs: createScheduledJobs({ home, storage, timeZone, now, checkTarget }),
    storage,
    runs,
    settings,
    timeZone,
  };
}

/** Throws if answers cannot be delivered to a target. */
async function checkDelivery(target: string, messaging: JobsOptions['messaging']): Promise<void> {
  if (messaging === undefined)
    throw new HermesError(`Answers cannot be delivered to ${target}: no messaging platform is configured.`, {
      hint: 'Run `hermes gateway setup`, or use `local`: the answer is then saved to a file.',
    });
  if (target !== 'origin' && target !== 'all') return void (await messaging.findTarget(target));
  if ((await messaging.listTargets()).homes.length > 0) return;
  throw new HermesError(`Answers cannot be delivered to ${target}: no home channel is set.`, {
    hint: 'Send /sethome in a chat, or name a chat, such as telegram:CHAT_ID.',
  });
}
