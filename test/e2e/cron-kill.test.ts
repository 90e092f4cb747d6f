import { expect, vi } from 'vitest';
import {
  createProviderServer,
  createTelegramServer,
  createTemporaryHome,
  startHermes,
} from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { runHermes } from '../support/run-hermes.ts';
import { waitUntil } from '../support/wait-until.ts';

const JOBS = 50;
/** Runs that each process performs at the same time. */
const MAX_PARALLEL = 2;

type ShownRun = { job_id: string; job_name: string; state: string; owner: string; delivery: string };

/** Jobs that are due at the same second, in the format of the original. */
function jobsAt(time: number) {
  const due = new Date(time).toISOString().replace(/\.\d+Z$/, '+00:00');
  return Array.from({ length: JOBS }, (_, index) => ({
    id: `job${String(index).padStart(9, '0')}`,
    name: `job ${index}`,
    prompt: `work-${index}-end`,
    schedule: { kind: 'once', run_at: due, display: `once at ${due}` },
    repeat: { times: 1, completed: 0 },
    enabled: true,
    state: 'scheduled',
    next_run_at: due,
    deliver: 'telegram',
  }));
}

verifies(
  ['CRON-1', 'CRON-2', 'SURF-6'],
  'three processes perform each of many due jobs once, and the runs of a killed one are unknown and reported once',
  { ...fullDoseOnly, timeout: 120_000 },
  async () => {
    await using telegram = await createTelegramServer();
    let isHeld = true;
    // Until the kill, the model answers the first runs of each process only after a long time.
    await using provider = await createProviderServer({
      script: ({ messages }) => ({
        text: `Done: ${messages.at(-1)?.text.match(/work-\d+-end/)?.[0]}`,
        delayMs: isHeld ? 2000 : 50,
      }),
    });
    const owner = telegram.addUser({ firstName: 'Ada' });
    await using home = await createTemporaryHome({
      'config.yaml': `model: { provider: custom, default: test-model, base_url: ${provider.baseUrl('chat_completions')} }
platforms: { telegram: { extra: { base_url: ${telegram.url} } } }
terminal: { backend: local }
cron: { max_parallel: ${MAX_PARALLEL} }
`,
    });
    const env = {
      TELEGRAM_BOT_TOKEN: telegram.token,
      TELEGRAM_ALLOWED_USERS: String(owner.id),
      TELEGRAM_HOME_CHANNEL: String(owner.id),
    };
    telegram.send({ from: owner, text: '/whoami' });
    const processes = ['a', 'b', 'c'].map(() => startHermes(['gateway', 'run'], { home, env }));
    const states = await Promise.all(processes.map((one) => one.waitForOutput(/telegram:\S+: (?:connected|waiting)/)));
    await waitUntil(() => expect(telegram.messages(owner.id).length).toBeGreaterThan(0));
    await home.write('cron/jobs.json', JSON.stringify({ jobs: jobsAt(Date.now() + 1000) }));
    const runs = async () =>
      JSON.parse((await runHermes(['cron', 'runs', '--json', '--limit', '200'], { home, env })).stdout) as ShownRun[];
    // All three perform runs before one of them is killed.
    const ownersOf = (list: readonly ShownRun[]) => new Set(list.map((run) => run.owner));
    await waitUntil(async () => expect(ownersOf(await runs()).size).toBe(3));
    // Not the one that holds the account, whose takeover other tests cover.
    const victim = processes.find((_, index) => states[index]?.includes('waiting'));
    const pid = `process ${victim?.child.pid} `;
    const requestsOf = (index: number | string) =>
      provider.requests.filter(
        ({ messages, toolNames }) => toolNames.length > 1 && messages.at(-1)?.text.includes(`work-${index}-end`),
      );
    // It cannot begin another run while it waits for the answers.
    await waitUntil(async () => {
      const own = (await runs()).filter((run) => run.owner.startsWith(pid));
      expect(own.length).toBeGreaterThanOrEqual(MAX_PARALLEL);
      for (const run of own) expect(requestsOf(run.job_name.slice(4))).toHaveLength(1);
    });
    victim?.kill('SIGKILL');
    await victim?.exited;
    isHeld = false;
    const allEnded = async () => {
      const all = await runs();
      expect(all.filter(({ state }) => state === 'done' || state === 'unknown')).toHaveLength(JOBS);
    };
    await vi.waitFor(allEnded, { timeout: 80_000, interval: 500 });
    const ended = await runs();
    const unknown = ended.filter(({ state }) => state === 'unknown');
    expect(unknown.length).toBeGreaterThan(0);
    expect(unknown.every((run) => run.owner.startsWith(pid))).toBe(true);
    expect(ended.filter(({ state }) => state === 'failed')).toEqual([]);
    expect(new Set(ended.map((run) => run.job_id)).size).toBe(JOBS);
    // Each prompt reached the model once, also that of a killed process.
    for (let index = 0; index < JOBS; index += 1) {
      expect(requestsOf(index).length, `job ${index}`).toBe(1);
    }
    const texts = () => telegram.messages(owner.id).map(({ text }) => text ?? '');
    await waitUntil(() => {
      for (const { job_name: jobName, state } of ended) {
        const word = state === 'unknown' ? 'its outcome is unknown' : `Done: work-${jobName.slice(4)}-end`;
        const about = texts().filter((text) => text.startsWith(jobName) && text.includes(word));
        expect(about.length, `${jobName}: ${word}`).toBe(1);
      }
    });
    await waitUntil(async () => {
      const deliveries = (await runs()).filter(({ state }) => state === 'done').map(({ delivery }) => delivery);
      expect(new Set(deliveries)).toEqual(new Set(['delivered']));
    });
    const alive = processes.filter((one) => one !== victim);
    for (const one of alive) one.kill('SIGTERM');
    for (const one of alive) expect((await one.exited).exitCode).toBe(0);
  },
);
