import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTelegramServer, startHermes, type TelegramServer } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { runHermes } from '../support/run-hermes.ts';
import { waitUntil } from '../support/wait-until.ts';
import { fullDoseOnly } from '../support/dose.ts';

const cli = useCliFixture();
let telegram: TelegramServer;
let chat: number;
beforeEach(async () => {
  telegram = await createTelegramServer();
  await cli.configure(
    `platforms: { telegram: { extra: { base_url: ${telegram.url} } } }\nterminal: { backend: local }\ntimezone: Europe/Berlin\n`,
  );
  chat = telegram.addUser({ firstName: 'Ada' }).id;
  telegram.send({ from: { id: chat }, text: 'hello' } as Parameters<TelegramServer['send']>[0]);
});
afterEach(() => telegram.close());

const platform = () => ({ TELEGRAM_BOT_TOKEN: telegram.token, TELEGRAM_HOME_CHANNEL: String(chat) });
const hermes = (args: string[], env: Record<string, string> = {}) => runHermes(args, { home: cli.home, env });
const json = async (args: string[], env?: Record<string, string>) => {
  const { stdout, stderr } = await hermes([...args, '--json'], env);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, unknown>[] & Record<string, unknown>;
};
const create = async (args: string[], env?: Record<string, string>) =>
  String((await json(['cron', 'create', ...args], env))['id']);
const jobsFile = () => join(cli.home.path, 'cron', 'jobs.json');
const storedJobs = async () =>
  (JSON.parse(await readFile(jobsFile(), 'utf8')) as { jobs: Record<string, unknown>[] }).jobs;
const texts = () => telegram.messages(chat).map(({ text }) => text ?? '');
const prompts = () => cli.server.requests.map(({ messages }) => messages.at(-1)?.text ?? '');

/** Makes a job due now, as if its time had come. */
async function makeDue(id: string): Promise<void> {
  const jobs = await storedJobs();
  const due = new Date(Date.now() - 1000).toISOString();
  const changed = jobs.map((job) => (job['id'] === id ? { ...job, next_run_at: due } : job));
  await writeFile(jobsFile(), JSON.stringify({ jobs: changed }));
}

describe('hermes cron', () => {
  it('creates, lists, edits, pauses, resumes and removes jobs, by id and by name', async () => {
    const created = await hermes(['cron', 'create', 'weekdays 8:30', 'Summarize', 'the news', '--name', 'News']);
    expect(created.stdout).toMatch(/Created the job [0-9a-f]{12}\./);
    expect(created.stdout).toContain('No scheduler is running.');
    expect((await hermes(['cron', 'list'])).stdout).toMatch(/News\n {4}weekdays 8:30; next run \w+ \S+ 08:30 \(Europe/);
    await hermes(['cron', 'edit', 'News', '--schedule', 'every monday 9:00', '--skill', 'a', '--skill', 'b']);
    await hermes([
      'cron',
      'edit',
      'News',
      '--add-skill',
      'c',
      '--remove-skill',
      'a',
      '--tz',
      'UTC',
      '--schedule',
      '@daily',
    ]);
    expect(await storedJobs()).toMatchObject([
      { prompt: 'Summarize the news', skills: ['b', 'c'], schedule: { kind: 'cron', expr: '0 0 * * *', tz: 'UTC' } },
    ]);
    await hermes(['cron', 'pause', 'news']);
    expect((await hermes(['cron', 'list'])).stdout).toContain('No job is scheduled.');
    expect(await json(['cron', 'list', '--all'])).toMatchObject([{ name: 'News', state: 'paused' }]);
    await hermes(['cron', 'resume', 'news']);
    expect(await json(['cron', 'next', '2'])).toMatchObject([{ name: 'News' }, { name: 'News' }]);
    expect((await hermes(['cron', 'remove', 'News'])).stdout).toContain('Removed the job');
    expect((await hermes(['cron', 'list'])).stdout).toContain('There are no jobs.');
    const missing = await hermes(['cron', 'run', 'News']);
    expect([missing.exitCode, missing.stderr]).toEqual([2, expect.stringContaining('Job not found: News.')]);
    expect(
      (await hermes(['cron', 'create', '0 9 * * 1', 'x', '--dry-run'])).stdout.match(/Mon .* 09:00/g),
    ).toHaveLength(5);
    const inTokyo = await hermes(['cron', 'create', '0 9 * * 1 30 tz=Asia/Tokyo', 'x', '--dry-run']);
    expect(inTokyo.stdout).toMatch(/^(?:Mon \S+ 09:00:30 \(Asia\/Tokyo\)\n){5}$/);
  });

  verifies('CRON-8', 'refuses schedules, targets, folders and scripts that cannot be used', async () => {
    const errorOf = async (...args: string[]) => {
      const { exitCode, stderr } = await hermes(['cron', 'create', ...args], platform());
      expect(exitCode).not.toBe(0);
      return stderr;
    };
    expect(await errorOf('sometimes', 'x')).toContain('Unknown schedule: “sometimes”.');
    expect(await errorOf('61 * * * *', 'x')).toContain('is not valid');
    expect(await errorOf('every 1h')).toContain('A job needs a prompt, a skill or a script.');
    expect(await errorOf('every 1h', 'x', '--deliver', 'telegram:#nowhere')).toContain('No chat on telegram');
    expect(await errorOf('every 1h', 'x', '--deliver', 'icq')).toContain('not a configured messaging platform');
    expect(await errorOf('every 1h', 'x', '--workdir', 'missing')).toContain('does not exist');
    const none = await hermes(['cron', 'create', 'every 1h', 'x', '--deliver', 'telegram']);
    expect([none.exitCode, none.stderr]).toEqual([1, expect.stringContaining('No messaging platform is configured')]);
    expect(await readFile(jobsFile(), 'utf8').catch(() => '')).toBe('');
  });

  verifies('SURF-6', 'refuses scripts outside scripts/, when a job is created and when it runs', async () => {
    const folder = join(cli.home.path, 'scripts');
    await mkdir(folder);
    const outside = join(cli.home.path, 'outside.sh');
    await writeFile(outside, 'echo outside\n');
    await symlink(outside, join(folder, 'link.sh'));
    for (const script of [outside, '../outside.sh', 'sub/../../outside.sh', 'link.sh', '~/x.sh', 'missing.sh', '.']) {
      const { exitCode, stderr } = await hermes(['cron', 'create', '@daily', '--no-agent', '--script', script]);
      expect([script, exitCode]).toEqual([script, 2]);
      expect(stderr).toContain(`The script ${script} cannot be used`);
    }
    await writeFile(join(folder, 'good.sh'), 'echo inside\n');
    const id = await create(['@daily', '--no-agent', '--script', 'good.sh']);
    expect((await hermes(['cron', 'run', id])).stdout).toBe('inside\n');
    await writeFile(jobsFile(), (await readFile(jobsFile(), 'utf8')).replaceAll('good.sh', 'link.sh'));
    const refused = await hermes(['cron', 'run', id]);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('a link to a place outside')]);
    expect(refused.stdout).not.toContain('outside\n');
    expect(cli.server.requests).toHaveLength(0);
  });

  verifies('SURF-6', 'runs a job in a fresh session with its script, skills, context, model and limits', async () => {
    await mkdir(join(cli.home.path, 'scripts'));
    await writeFile(join(cli.home.path, 'scripts', 'load.sh'), 'echo "load 42"\necho hidden >&2\n');
    await mkdir(join(cli.home.path, 'skills', 'watching'), { recursive: true });
    await writeFile(
      join(cli.home.path, 'skills', 'watching', 'SKILL.md'),
      '---\nname: watching\ndescription: how to watch\n---\nLook at the load first.\n',
    );
    cli.server.setScript(() => ({ text: 'All is well.' }));
    const first = await create(['every 1h', 'Look around', '--name', 'first']);
    const second = await create([
      ...['every 1h', 'Report the load', '--name', 'second', '--script', 'load.sh', '--skill', 'watching'],
      ...['--context-from', 'first', '--model', 'other-model', '--workdir', cli.home.path, '--max-turns', '3'],
    ]);
    expect(await json(['cron', 'run', first])).toMatchObject({ state: 'done', answer: 'All is well.\n' });
    expect((await hermes(['cron', 'run', 'second'])).stdout).toBe('All is well.\n');
    const [one, two] = cli.server.requests;
    expect(one?.messages.at(-1)?.text).toMatch(/scheduled job[^]*Look around/);
    const text = two?.messages.at(-1)?.text ?? '';
    for (const part of ['Look at the load first.', '> All is well.', '> load 42', 'Report the load'])
      expect(text).toContain(part);
    expect(text).not.toContain('hidden');
    expect([one?.model, two?.model]).toEqual(['test-model', 'other-model']);
    for (const withheld of ['cronjob', 'send_message', 'clarify', 'memory'])
      expect(two?.toolNames).not.toContain(withheld);
    const runs = await json(['cron', 'runs']);
    expect(runs).toMatchObject([
      { job_name: 'second', state: 'done', session_id: expect.stringMatching(`^cron_${second}_\\d{8}_\\d{6}_\\d{3}$`) },
      { job_name: 'first', state: 'done', delivery: 'none' },
    ]);
    const sessions = await hermes(['sessions', 'list', '--source', 'cron']);
    expect(sessions.stdout).toContain('second (');
    const folder = join(cli.home.path, 'cron', 'output', first);
    const [file = ''] = await readdir(folder);
    expect(await readFile(join(folder, file), 'utf8')).toMatch(
      /^# first\n[^]*> Look around[^]*## Answer\n\nAll is well\.\n$/,
    );
  });

  verifies('SURF-6', 'is unattended: what needs approval is denied, unless approvals.cron_mode allows it', async () => {
    const danger = { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf keep' } }] };
    await mkdir(join(cli.home.workspace, 'keep'));
    const id = await create(['every 1h', 'Clean up']);
    cli.server.setScript([danger, { text: 'Denied.' }]);
    await hermes(['cron', 'run', id]);
    expect(await readdir(cli.home.workspace)).toContain('keep');
    const config = await readFile(join(cli.home.path, 'config.yaml'), 'utf8');
    await cli.home.write('config.yaml', `${config}approvals: { cron_mode: approve }\n`);
    cli.server.setScript([danger, { text: 'Done.' }]);
    await hermes(['cron', 'run', id]);
    expect(await readdir(cli.home.workspace)).not.toContain('keep');
  });
});

describe('runs of scripts', () => {
  it('do not wait for a background process that keeps the output open', async () => {
    // The process group of the script does not contain it.
    await cli.home.write('scripts/serve.sh', 'echo started\nsetsid sleep 30 &\necho $! > pid\n');
    await create(['@daily', '--name', 'serve', '--script', 'serve.sh', '--no-agent', '--workdir', cli.home.workspace]);
    const { stdout, exitCode } = await hermes(['cron', 'run', 'serve']);
    expect([stdout.trim(), exitCode]).toEqual(['started', 0]);
    process.kill(Number(await readFile(join(cli.home.workspace, 'pid'), 'utf8')));
  });

  verifies('CRON-3', 'that were missed are skipped, made up for once or all made up for, as the job says', async () => {
    await cli.home.write('scripts/note.sh', 'echo noted\n');
    const rules = ['skip', 'once', 'all'] as const;
    for (const rule of rules)
      await create(['0 * * * *', '--name', rule, '--missed', rule, '--script', 'note.sh', '--no-agent']);
    const hour = 3_600_000;
    const last = Math.floor(Date.now() / hour) * hour;
    const missed = new Date(last - 4 * hour).toISOString();
    const jobs = await storedJobs();
    await writeFile(jobsFile(), JSON.stringify({ jobs: jobs.map((job) => ({ ...job, next_run_at: missed })) }));
    await hermes(['cron', 'tick']);
    const runs = await json(['cron', 'runs']);
    const timesOf = (name: string) =>
      runs.flatMap((run) => (run['job_name'] === name ? [Number(run['planned_at'])] : [])).toSorted((a, b) => a - b);
    const isLate = Date.now() - last > hour / 2;
    expect(timesOf('all')).toEqual([4, 3, 2, 1, 0].map((ago) => last - ago * hour));
    expect(timesOf('once')).toEqual([last]);
    // A run that is only a little late is not missed.
    expect(timesOf('skip')).toEqual(isLate ? [] : [last]);
  });
});

it('two runs of a job that are started in the same second do not disturb each other', fullDoseOnly, async () => {
  const id = await create(['@daily', 'Report']);
  const runs = await Promise.all([1, 2, 3].map(() => hermes(['cron', 'run', id])));
  expect(runs.map(({ exitCode, stderr }) => [exitCode, stderr.includes('failed')])).toEqual(
    [1, 2, 3].map(() => [0, false]),
  );
  const sessions = (await json(['cron', 'runs'])).map((run) => run['session_id']);
  expect(new Set(sessions).size).toBe(3);
  expect(await readdir(join(cli.home.path, 'cron', 'output', id))).toHaveLength(3);
});

describe('delivery', () => {
  verifies(['CRON-5', 'SURF-6'], 'goes through the outbox; [SILENT] is silent only as the whole answer', async () => {
    const id = await create(['every 1h', 'Report', '--name', 'Report', '--deliver', 'telegram'], platform());
    const answer = async (text: string) => {
      cli.server.setScript(() => ({ text }));
      await makeDue(id);
      expect((await hermes(['cron', 'tick'], platform())).stdout).toBe('Performed 1 run.\n');
    };
    await answer('Two new issues. I write [SILENT] if there are none.');
    await answer(' [silent]\n');
    expect(texts()).toEqual(['Report\n\nTwo new issues. I write [SILENT] if there are none.']);
    expect(await json(['cron', 'runs'])).toMatchObject([
      { delivery: 'none' },
      { state: 'done', delivery: 'delivered' },
    ]);
    expect((await hermes(['cron', 'tick'], platform())).stdout).toBe('No job is due.\n');
  });

  verifies('CRON-5', 'to a dead target fails, and the run is done', async () => {
    const dead = telegram.addUser({ firstName: 'Gone' }).id;
    const id = await create(['every 1h', 'Report', '--deliver', `telegram:${dead},telegram`], platform());
    await makeDue(id);
    await hermes(['cron', 'tick'], platform());
    expect(await json(['cron', 'runs'])).toMatchObject([
      { state: 'done', delivery: expect.stringMatching(/^failed: telegram:/) },
    ]);
    expect((await hermes(['cron', 'runs'])).stdout).toMatch(/done, \d+ s {2}Report \(\w+\) {2}delivery: failed:/);
    expect((await hermes(['cron', 'list'])).stdout).toContain('not delivered: telegram:');
    expect(texts()).toHaveLength(1);
  });

  verifies('CRON-6', 'reports a failure once, then once a day, and then the recovery', async () => {
    const id = await create(['every 1h', 'Report', '--name', 'Report', '--deliver', 'telegram'], platform());
    const tick = async () => {
      await makeDue(id);
      await hermes(['cron', 'tick'], platform());
    };
    cli.server.setScript(() => ({ fault: { type: 'status', status: 401, message: 'bad key' } }));
    await tick();
    await tick();
    expect(texts()).toEqual([expect.stringMatching(/^Report failed: .*bad key/)]);
    const yesterday = new Date(Date.now() - 25 * 3_600_000).toISOString();
    const jobs = await storedJobs();
    expect(jobs).toMatchObject([{ failure_streak: 2, last_status: 'error' }]);
    await writeFile(jobsFile(), JSON.stringify({ jobs: [{ ...jobs[0], failure_reported_at: yesterday }] }));
    await tick();
    expect(texts()).toHaveLength(2);
    cli.server.setScript(() => ({ text: '[SILENT]' }));
    await tick();
    await tick();
    expect(texts().slice(2)).toEqual(['Report works again after 3 failures.']);
    expect(await storedJobs()).toMatchObject([{ failure_streak: 0, last_status: 'ok', last_error: null }]);
  });

  verifies('CRON-7', 'stops with one message if the provider of the default model has changed', async () => {
    const id = await create(['every 1h', 'Report', '--name', 'Report', '--deliver', 'telegram'], platform());
    const tick = async () => {
      await makeDue(id);
      await hermes(['cron', 'tick'], platform());
    };
    await tick();
    const jobs = await storedJobs();
    expect(jobs[0]?.['default_provider']).toBe('custom');
    await writeFile(jobsFile(), JSON.stringify({ jobs: [{ ...jobs[0], default_provider: 'openrouter' }] }));
    const asked = cli.server.requests.length;
    await tick();
    await tick();
    expect(cli.server.requests).toHaveLength(asked);
    expect(texts().filter((text) => text.includes('The default model is now one of custom'))).toHaveLength(1);
    expect(await json(['cron', 'list', '--all'])).toMatchObject([{ state: 'paused' }]);
    await hermes(['cron', 'resume', id]);
    await tick();
    expect(cli.server.requests).toHaveLength(asked + 1);
  });
});

verifies('SURF-6', 'hermes gateway run works without a platform, and runs jobs within a second', async () => {
  cli.server.setScript(() => ({ text: 'Time to go.' }));
  const gateway = startHermes(['gateway', 'run'], { home: cli.home });
  await gateway.waitForOutput('No messaging platform is configured, so only scheduled jobs run.');
  await waitUntil(async () => expect((await hermes(['cron', 'status'])).exitCode).toBe(0));
  const planned = Math.ceil(Date.now() / 1000) * 1000 + 2000;
  const at = new Date(planned).toISOString().replace(/\.\d+Z/, '+00:00');
  const id = await create([at, 'Remind me']);
  const folder = join(cli.home.path, 'cron', 'output', id);
  await waitUntil(async () => expect(await readdir(folder)).toHaveLength(1));
  const [run] = (await json(['cron', 'runs'])) as unknown as { claimed_at: number; planned_at: number }[];
  const time = (value: unknown) => new Date(value as string | number).getTime();
  expect(time(run?.planned_at)).toBe(planned);
  expect(time(run?.claimed_at) - planned).toBeLessThan(1000);
  expect((await hermes(['cron', 'status'])).stdout).toContain('Scheduler: running in the gateway');
  gateway.kill('SIGTERM');
  expect((await gateway.exited).exitCode).toBe(0);
  expect(prompts().filter((text) => text.includes('Remind me'))).toHaveLength(1);
});

verifies('BOUND-4', 'no edit is lost when two processes change the jobs at the same time', fullDoseOnly, async () => {
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c', 'd']) ids.push(await create(['@daily', 'x', '--name', name]));
  const foreign = (await storedJobs()).map((job) => ({ ...job, continuity: { of: job['name'] } }));
  await writeFile(jobsFile(), JSON.stringify({ jobs: foreign }));
  const edits = ids.flatMap((id, index) => [
    ['cron', 'edit', id, '--name', `name ${index}`],
    ['cron', 'edit', id, '--prompt', `prompt ${index}`],
  ]);
  const adds = [0, 1].map((index) => ['cron', 'create', '@daily', `new ${index}`]);
  const exits = await Promise.all([...edits, ...adds].map((args) => startHermes(args, { home: cli.home }).exited));
  expect(exits.map(({ exitCode }) => exitCode)).toEqual(exits.map(() => 0));
  const jobs = await storedJobs();
  expect(jobs.slice(0, 4)).toMatchObject(
    ids.map((id, index) => ({
      id,
      name: `name ${index}`,
      prompt: `prompt ${index}`,
      continuity: { of: 'abcd'[index] },
    })),
  );
  expect(jobs.map(({ prompt }) => prompt)).toEqual(expect.arrayContaining(['new 0', 'new 1']));
});
