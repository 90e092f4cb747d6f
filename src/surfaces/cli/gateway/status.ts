import { systemClock } from '../../../base/index.ts';
import { resolveHome } from '../../../config/index.ts';
import { type GatewayReport, type PlatformReport, reportGateway } from '../../gateway/index.ts';
import type { CliIo } from '../cli-io.ts';
import { withStore } from '../sessions/with-store.ts';
import { writeJson } from '../sessions/write-json.ts';
import { createStyle, printable, type Style } from '../style.ts';

export type StatusOptions = { deep?: boolean; json?: boolean };

/** `hermes gateway status`. Returns 0 if everything works, otherwise 1. */
export async function gatewayStatus(options: StatusOptions, io: CliIo, signal: AbortSignal): Promise<number> {
  const clock = io.clock ?? systemClock;
  const report = await withStore(io, async (store) =>
    reportGateway({
      home: resolveHome(io.env),
      env: io.env,
      store: await store.openGatewayStore(),
      clock,
      deep: options.deep ?? false,
      signal,
    }),
  );
  if (options.json) writeJson(io.stdout, report);
  else io.stdout.write(`${describe(report, { now: clock.now(), style: createStyle(io.stdout, io.env) }).join('\n')}\n`);
  return report.isHealthy ? 0 : 1;
}

type Shown = { now: number; style: Style };

function describe(report: GatewayReport, shown: Shown): string[] {
  const { figures, gateway } = report;
  const process = gateway.pid === undefined ? '' : ` (process ${gateway.pid}${since(gateway.startedAt)})`;
  return [
    `Gateway: ${gateway.isRunning ? `running${process}` : 'not running'}`,
    ...report.platforms.flatMap((platform) => describePlatform(platform, shown)),
    `Inbox: ${figures.waiting} waiting${age(figures.waitingSince, shown)}, ${figures.parked} parked`,
    `Outbox: ${figures.unsent} unsent${age(figures.unsentSince, shown)}, ${figures.failed} failed`,
    ...report.working.map(
      (turn) =>
        `Turn: ${turn.key}${age(turn.since, shown)}${turn.attempts > 1 ? `, attempt ${turn.attempts}` : ''}${turn.isStuck ? ', stuck' : ''}`,
    ),
    ...report.sendErrors.map(
      (error) => `Not sent: ${error.key}${age(error.createdAt, shown)}, ${error.attempts} attempts: ${error.error}`,
    ),
    ...describeProcess(report),
    ...report.problems.map((problem) => shown.style.yellow(`Problem: ${problem}`)),
  ].map(printable);
}

const MEGABYTE = 1024 * 1024;

/** What `--deep` adds: the figures of the process, and how full everything is that has a limit. */
function describeProcess({ process = {}, fills = [], refused = {} }: GatewayReport): string[] {
  const { rss, heap_used: heap, event_loop_delay_ms: delay } = process;
  const amount = (bytes: unknown) => `${Math.round(Number(bytes) / MEGABYTE)} MB`;
  const figures = rss === undefined ? [] : [`memory ${amount(rss)}`, `heap ${amount(heap)}`];
  if (delay !== undefined) figures.push(`event loop delay ${Number(delay)} ms (p99)`);
  return [
    ...(figures.length === 0 ? [] : [`Process: ${figures.join(', ')}`]),
    ...Object.entries(refused).map(
      ([reason, count]) => `Refused without a reply: ${Number(count)} (${reason.replaceAll('_', ' ')})`,
    ),
    ...fills.map(({ name, used, limit }) => `Limit: ${name}: ${used} of ${limit}`),
  ];
}

function describePlatform(
  { platform, state, since: changed, error, account, stored, check }: PlatformReport,
  shown: Shown,
) {
  const counts =
    stored === undefined
      ? []
      : [
          `last event ${ago(stored.lastReceivedAt, shown) ?? 'never'}`,
          `last message sent ${ago(stored.lastSentAt, shown) ?? 'never'}`,
        ];
  const name = account === undefined ? platform : account;
  const checked =
    check === undefined ? [] : ['name' in check ? `verified as ${check.name}` : `check failed: ${check.error}`];
  return [
    `${name}: ${[`${state}${since(changed)}`, ...(error === undefined ? [] : [error]), ...counts, ...checked].join(', ')}`,
  ];
}

function since(time: string | undefined): string {
  return time === undefined ? '' : ` since ${time.slice(0, 16).replace('T', ' ')} UTC`;
}

function age(time: number | undefined, shown: Shown): string {
  return time === undefined ? '' : ` (${ago(time, shown)})`;
}

function ago(time: number | undefined, { now }: Shown): string | undefined {
  if (time === undefined) return undefined;
  const seconds = Math.max(0, Math.round((now - time) / 1000));
  const [amount, unit] =
    seconds < 120 ? [seconds, 's'] : seconds < 7200 ? [seconds / 60, 'min'] : [seconds / 3600, 'h'];
  return `${Math.round(amount)} ${unit} ago`;
}
