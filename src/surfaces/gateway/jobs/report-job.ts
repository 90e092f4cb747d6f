import { type Clock, errorMessage, HermesError, type JsonObject } from '../../../base/index.ts';
import type { CronRun, Messaging, MessageTarget } from '../../../contracts/index.ts';
import { type Job, type RunOutcome, targetsIn, toIsoWithOffset, UNKNOWN_ERROR } from '../../../schedules/index.ts';
import { takeStart } from '../../../util/index.ts';
import type { JobAnswer } from './run-job.ts';

export type ReportOptions = {
  /** Undefined if no messaging platform is configured. */
  messaging: Messaging | undefined;
  clock: Clock;
  /** Whether delivered answers name their job. */
  wrapResponse: boolean;
  /** How long a run waits to learn whether its answer arrived; what is not delivered by then stays in the outbox. */
  deliveryMs: number;
};

const DAY_MS = 86_400_000;
/** A longer answer is cut: chats are no place for it, and the whole is in a file. */
const MAX_CHARACTERS = 12_000;

/** Delivers the answer of a run, and says what to record about it. */
export async function reportAnswer(options: ReportOptions, job: Job, answer: JobAnswer): Promise<RunOutcome> {
  const { text, failureChanges } = wordAnswer(options, job, answer);
  const delivery = text === undefined ? NOTHING_SENT : await deliver(options, job, text);
  const { state, error, outputPath, defaultProvider, pause } = answer;
  return {
    state,
    error,
    outputPath,
    ...delivery,
    changes: { ...failureChanges, ...(defaultProvider !== undefined && { default_provider: defaultProvider }) },
    ...(pause !== undefined && { pause }),
  };
}

/**
 * What is delivered, if anything. A failure is reported at first and then at most once a day; the first success after
 * that says that the job works again.
 */
function wordAnswer({ clock, wrapResponse }: ReportOptions, job: Job, answer: JobAnswer) {
  const now = clock.now();
  const name = `**${job.name}**`;
  if (answer.state === 'failed') {
    const isNews = answer.pause !== undefined || !wasReported(job, now);
    const more = answer.text === '' ? '' : `\n\n${shorten(answer.text, answer.outputPath)}`;
    return {
      text: isNews ? `${name} failed: ${answer.error ?? ''}${more}` : undefined,
      failureChanges: failureOf(job, now, isNews),
    };
  }
  const isRecovery = job.failures > 0 && job.failureReportedAt !== undefined;
  const failures = job.failures === 1 ? 'one failure' : `${job.failures} failures`;
  const heading = isRecovery ? `${name} works again after ${failures}.` : wrapResponse ? name : '';
  const body = shorten(answer.text, answer.outputPath);
  const isSent = body !== '' || isRecovery;
  return {
    text: isSent ? [heading, body].filter((part) => part !== '').join('\n\n') : undefined,
    failureChanges: { failure_streak: 0, failure_reported_at: null } as JsonObject,
  };
}

function wasReported({ failures, failureReportedAt: reported }: Job, now: number): boolean {
  return failures > 0 && reported !== undefined && now - reported < DAY_MS;
}

function failureOf(job: Job, now: number, isNews: boolean): JsonObject {
  const changes: JsonObject = { failure_streak: job.failures + 1 };
  if (isNews) changes['failure_reported_at'] = toIsoWithOffset(now, job.schedule.timeZone);
  return changes;
}

function shorten(text: string, file: string | undefined): string {
  if (text.length <= MAX_CHARACTERS) return text.trim();
  return `${takeStart(text, MAX_CHARACTERS)}\n\n… (truncated${file === undefined ? '' : `; the whole answer is in ${file}`})`;
}

/** Reports a run whose process died, like a failure. Returns what changes in the job. */
export async function reportUnknown(options: ReportOptions, run: CronRun, job: Job): Promise<JsonObject> {
  const now = options.clock.now();
  const isNews = !wasReported(job, now);
  const time = toIsoWithOffset(run.plannedAt, job.schedule.timeZone);
  const next = job.rerunsUnknown
    ? 'It is repeated once.'
    : `It is not repeated. \`hermes cron run ${job.id}\` runs the job again.`;
  if (isNews) await deliver(options, job, `**${job.name}**, run of ${time}: ${UNKNOWN_ERROR} ${next}`);
  return failureOf(job, now, isNews);
}

/** Reports planned times that passed while no scheduler was running. */
export async function reportSkipped(
  options: ReportOptions,
  skipped: readonly { job: Job; times: readonly number[] }[],
): Promise<void> {
  const byTarget = Map.groupBy(skipped, ({ job }) => JSON.stringify([job.deliver, job.origin ?? null]));
  for (const group of byTarget.values()) {
    const lines = group.map(({ job, times }) => `- ${job.name}: ${describeTimes(job, times)}`);
    const [first] = group;
    const text = `Runs were missed, because Hermes was not running at that time:\n${lines.join('\n')}`;
    if (first !== undefined) await deliver(options, first.job, text);
  }
}

function describeTimes({ schedule }: Job, times: readonly number[]): string {
  const show = (time: number | undefined) =>
    time === undefined ? '' : toIsoWithOffset(time, schedule.timeZone).slice(0, 16).replace('T', ' ');
  const [first, last] = [show(times[0]), show(times.at(-1))];
  return times.length === 1 ? first : `${times.length} runs, from ${first} to ${last}`;
}

type Delivered = Pick<RunOutcome, 'deliveries' | 'deliveryError'>;
const NOTHING_SENT: Delivered = { deliveries: [], deliveryError: undefined };

/** Sends a text to the targets of a job through the outbox. */
async function deliver({ messaging, deliveryMs }: ReportOptions, job: Job, text: string): Promise<Delivered> {
  const names = targetsIn(job.deliver).filter((name) => name !== 'local');
  if (names.length === 0) return NOTHING_SENT;
  if (messaging === undefined) return { deliveries: [], deliveryError: 'No messaging platform is configured.' };
  const signal = AbortSignal.timeout(deliveryMs);
  const sent = await Promise.all(names.map((name) => sendTo(messaging, job, { name, text, signal })));
  const errors = sent.flatMap(({ deliveryError }) => deliveryError ?? []);
  return {
    deliveries: sent.flatMap(({ deliveries = [] }) => deliveries),
    deliveryError: errors.length === 0 ? undefined : errors.join('\n'),
  };
}

async function sendTo(
  messaging: Messaging,
  job: Job,
  { name, text, signal }: { name: string; text: string; signal: AbortSignal },
): Promise<Delivered> {
  try {
    const targets = await findTargets(messaging, job, name);
    const sent = await Promise.all(targets.map((target) => messaging.send(target, text, signal)));
    const failed = sent.find(({ outcome }) => outcome === 'failed');
    return {
      deliveries: sent.flatMap(({ messageIds }) => messageIds),
      deliveryError: failed !== undefined && 'reason' in failed ? `${name}: ${failed.reason}` : undefined,
    };
  } catch (thrown) {
    return { deliveries: [], deliveryError: `${name}: ${errorMessage(thrown)}` };
  }
}

/** `origin` is the chat in which the job was created, or else the first home channel; `all` is every home channel. */
async function findTargets(messaging: Messaging, { origin }: Job, name: string): Promise<readonly MessageTarget[]> {
  const text = (field: string) => {
    const value = origin?.[field];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  };
  const [platform, chatId, threadId] = [text('platform'), text('chat_id'), text('thread_id')];
  if (name === 'origin' && platform !== undefined && chatId !== undefined) {
    const target: MessageTarget = { platform, chatId, name: text('chat_name') ?? chatId };
    return [threadId === undefined ? target : { ...target, threadId }];
  }
  if (name !== 'origin' && name !== 'all') return [await messaging.findTarget(name)];
  const { homes } = await messaging.listTargets();
  if (homes.length === 0) throw new HermesError('no home channel is set. Send /sethome in a chat.');
  return name === 'all' ? homes : homes.slice(0, 1);
}
