import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { parse } from 'yaml';
import { createTemporaryHome, startHermes, type TemporaryHome } from '../../src/testing/index.ts';
import { verifies } from '../spec/verifies.ts';
import { dose, fullDoseOnly, someOf } from '../support/dose.ts';
import { runHermes } from '../support/run-hermes.ts';

/** The files of a home after all commands have ended. */
type Written = {
  config: Record<string, Record<string, unknown>>;
  env: string;
  credentials: { label?: string }[];
  allowedHooks: string[];
  installedSkills: string[];
  home: string;
  workspace: string;
};

/** A command that changes a file of the home, run by several processes with different numbers. */
type Writer = {
  command: string;
  /** The part of the first config.yaml that the processes change. */
  config?: (numbers: readonly number[]) => string;
  files?: (number: number) => Record<string, string>;
  args: (number: number, home: TemporaryHome) => string[];
  isDone: (written: Written, number: number) => boolean;
};

const lines = (numbers: readonly number[], line: (number: number) => string) => numbers.map(line).join('\n');
const listIn = (written: Written, section: string, key: string) =>
  (written.config[section]?.[key] ?? []) as readonly unknown[];
const SKILL = (name: string) => `---\nname: ${name}\ndescription: A skill for ${name}.\n---\nHow ${name} is done.\n`;
const TOOLS = ['read_file', 'write_file', 'patch', 'search_files', 'terminal', 'process', 'todo', 'memory'];
const OTHER_TOOLS = ['clarify', 'skills_list', 'skill_view', 'skill_manage', 'session_search', 'delegate_task'];
const nth = (names: readonly string[], number: number) => names[number % names.length] as string;

const CONFIG_WRITERS: readonly Writer[] = [
  {
    command: 'config set',
    args: (n) => ['config', 'set', `own.set_${n}`, `${n}`, '--force'],
    isDone: ({ config }, n) => config['own']?.[`set_${n}`] === n,
  },
  {
    command: 'config unset',
    config: (all) => `removed:\n  kept: 1\n${lines(all, (n) => `  unset_${n}: 1`)}\n`,
    args: (n) => ['config', 'unset', `removed.unset_${n}`],
    isDone: ({ config }, n) => config['removed']?.['kept'] === 1 && config['removed'][`unset_${n}`] === undefined,
  },
  {
    command: 'fallback add',
    args: (n) => ['fallback', 'add', 'openrouter', `new/model-${n}`, '--offline', '--force'],
    isDone: ({ config }, n) => JSON.stringify(config['fallback_providers']).includes(`"new/model-${n}"`),
  },
  {
    command: 'fallback remove',
    config: (all) =>
      `fallback_providers:\n${lines(all, (n) => `  - { provider: openrouter, model: old/model-${n} }`)}\n`,
    args: (n) => ['fallback', 'remove', `openrouter/old/model-${n}`],
    isDone: ({ config }, n) => !JSON.stringify(config['fallback_providers'] ?? []).includes(`"old/model-${n}"`),
  },
  {
    command: 'mcp add',
    args: (n) => ['mcp', 'add', `added_${n}`, '--no-test', '--env', `A${n}_TOKEN=secret-${n}`, '--', 'true'],
    isDone: ({ config, env }, n) =>
      config['mcp_servers']?.[`added_${n}`] !== undefined && env.includes(`A${n}_TOKEN=secret-${n}\n`),
  },
  {
    command: 'mcp remove',
    config: (all) => `mcp_servers:\n${lines(all, (n) => `  gone_${n}: { command: 'true' }`)}\n`,
    args: (n) => ['mcp', 'remove', `gone_${n}`],
    isDone: ({ config }, n) => config['mcp_servers']?.[`gone_${n}`] === undefined,
  },
  {
    command: 'tools disable',
    args: (n) => ['tools', 'disable', nth(TOOLS, n)],
    isDone: (written, n) => listIn(written, 'agent', 'disabled_toolsets').includes(nth(TOOLS, n)),
  },
  {
    command: 'tools enable',
    config: () => `agent:\n  disabled_toolsets: [${OTHER_TOOLS.join(', ')}]\n`,
    args: (n) => ['tools', 'enable', nth(OTHER_TOOLS, n)],
    isDone: (written, n) => !listIn(written, 'agent', 'disabled_toolsets').includes(nth(OTHER_TOOLS, n)),
  },
  {
    command: 'approvals forget',
    config: (all) => `command_allowlist:\n  - kept entry\n${lines(all, (n) => `  - entry ${n}`)}\n`,
    args: (n) => ['approvals', 'forget', `entry ${n}`],
    isDone: ({ config }, n) => {
      const entries = config['command_allowlist'] as unknown as string[];
      return entries.includes('kept entry') && !entries.includes(`entry ${n}`);
    },
  },
  {
    command: 'skills trust',
    files: (n) => ({ [`sources/project-${n}/.hermes/skills/s/SKILL.md`]: SKILL('s') }),
    args: (n, home) => ['skills', 'trust', join(home.path, `sources/project-${n}`), '--yes'],
    isDone: (written, n) =>
      listIn(written, 'skills', 'trusted_project_dirs').some((path) => String(path).endsWith(`project-${n}`)),
  },
  {
    command: 'skills trust --remove',
    config: (all) => `skills:\n  trusted_project_dirs:\n${lines(all, (n) => `    - /was/trusted/${n}`)}\n`,
    args: (n) => ['skills', 'trust', `/was/trusted/${n}`, '--remove'],
    isDone: (written, n) => !listIn(written, 'skills', 'trusted_project_dirs').includes(`/was/trusted/${n}`),
  },
  {
    command: 'plugins enable',
    files: (n) => ({ [`plugins/on-${n}/plugin.yaml`]: `name: on-${n}\n`, [`plugins/on-${n}/index.mjs`]: '' }),
    args: (n) => ['plugins', 'enable', `on-${n}`, '--yes'],
    isDone: (written, n) => listIn(written, 'plugins', 'enabled').includes(`on-${n}`),
  },
];

const OTHER_WRITERS: readonly Writer[] = [
  {
    command: 'config set VARIABLE',
    args: (n) => ['config', 'set', `NEW_${n}`, `value ${n}`],
    isDone: ({ env }, n) => env.includes(`NEW_${n}='value ${n}'\n`),
  },
  {
    command: 'config unset VARIABLE',
    args: (n) => ['config', 'unset', `OLD_${n}`],
    isDone: ({ env }, n) => !env.includes(`OLD_${n}=`),
  },
  {
    command: 'auth add',
    args: (n) => ['auth', 'add', 'openrouter', '--key', `sk-or-${'x'.repeat(30)}${n}`, '--label', `label-${n}`],
    isDone: ({ credentials }, n) => credentials.some(({ label }) => label === `label-${n}`),
  },
  {
    command: 'hooks allow',
    config: (all) => `hooks:\n  on_session_start:\n${lines(all, (n) => `    - command: echo ${n}`)}\n`,
    args: (n) => ['hooks', 'allow', `hooks.on_session_start[${n}]`, '--yes'],
    isDone: ({ allowedHooks }, n) => allowedHooks.includes(`echo ${n}`),
  },
  {
    command: 'skills install',
    files: (n) => ({ [`sources/given-${n}/SKILL.md`]: SKILL(`given-${n}`) }),
    args: (n, home) => ['skills', 'install', join(home.path, `sources/given-${n}`), '--yes'],
    isDone: ({ installedSkills, home }, n) =>
      installedSkills.includes(`given-${n}`) && existsSync(join(home, `skills/given-${n}/SKILL.md`)),
  },
  {
    command: 'plugins install',
    files: (n) => ({ [`sources/plug-${n}/plugin.yaml`]: 'name: same\n', [`sources/plug-${n}/index.mjs`]: '' }),
    // All have the same name, so each one replaces the one before.
    args: (n, home) => ['plugins', 'install', join(home.path, `sources/plug-${n}`), '--yes'],
    isDone: ({ home }) => existsSync(join(home, 'plugins/same/plugin.yaml')),
  },
  {
    command: 'profile create',
    args: (n) => ['profile', 'create', `profile-${n}`, '--clone'],
    isDone: ({ home }, n) => existsSync(join(home, `profiles/profile-${n}/config.yaml`)),
  },
];

/** In the full dose, each command is run by so many processes at the same time. */
const PROCESSES = 8;
const FIRST_CONFIG = '# A comment at the top.\nterminal:\n  timeout: 77 # seconds\n';

/** Starts all commands at the same moment, waits for them, and reads what they have written. */
async function runTogether(home: TemporaryHome, writers: readonly (readonly [Writer, number])[]): Promise<Written> {
  const sections = writers.map(([{ config }, count]) => config?.([...Array(count).keys()]) ?? '');
  await home.write('config.yaml', FIRST_CONFIG + mergeSections(sections));
  await home.write('.env', `KEPT=1\n${lines([...Array(32).keys()], (n) => `OLD_${n}=1`)}\n`);
  const started = [];
  for (const [{ files, args }, count] of writers) {
    for (let number = 0; number < count; number += 1) {
      for (const [path, text] of Object.entries(files?.(number) ?? {})) await home.write(path, text);
      started.push(() => startHermes(args(number, home), { home, input: '', timeoutMs: 120_000 }));
    }
  }
  const exits = await Promise.all(started.map((start) => start().exited));
  const failed = exits.filter(({ exitCode }) => exitCode !== 0).map(({ stderr, child }) => [child.spawnargs, stderr]);
  expect(failed).toEqual([]);
  return readHome(home);
}

/** Two sections with the same name become one. */
function mergeSections(sections: readonly string[]): string {
  const merged = new Map<string, string[]>();
  for (const section of sections.filter((text) => text !== '')) {
    const [name = '', ...rest] = section.trimEnd().split('\n');
    merged.set(name, [...(merged.get(name) ?? []), ...rest]);
  }
  return [...merged].map(([name, rest]) => `${[name, ...rest].join('\n')}\n`).join('');
}

async function readHome(home: TemporaryHome): Promise<Written> {
  const json = async (file: string) =>
    existsSync(join(home.path, file)) ? (JSON.parse(await home.read(file)) as Record<string, never>) : {};
  const config = await home.read('config.yaml');
  expect(config.startsWith(FIRST_CONFIG)).toBe(true);
  const left = (await readdir(home.path, { recursive: true })).filter((name) => /\.(?:lock|tmp|breaking)$/.test(name));
  expect(left).toEqual([]);
  return {
    config: parse(config) as Written['config'],
    env: await home.read('.env'),
    credentials: (await json('auth.json'))['credential_pool']?.['openrouter'] ?? [],
    allowedHooks: ((await json('allowed-hooks.json'))['hooks'] ?? ([] as { command: string }[])).map(
      ({ command }: { command: string }) => command,
    ),
    installedSkills: Object.keys((await json('skills/.lock.json'))['skills'] ?? {}),
    home: home.path,
    workspace: home.workspace,
  };
}

function expectAllDone(written: Written, writers: readonly (readonly [Writer, number])[]): void {
  const lost = writers.flatMap(([{ command, isDone }, count]) =>
    [...Array(count).keys()].filter((number) => !isDone(written, number)).map((number) => `${command} ${number}`),
  );
  expect(lost).toEqual([]);
  expect(written.env).toContain('KEPT=1\n');
}

describe('files that several processes change', () => {
  verifies('BOUND-4', 'keep every change if different commands write at the same time', async () => {
    await using home = await createTemporaryHome();
    const some = [...someOf(CONFIG_WRITERS, 5), ...someOf(OTHER_WRITERS, 5)];
    const writers = some.map((writer) => [writer, writer.command === 'config set' ? dose(3, 8) : 1] as const);
    expectAllDone(await runTogether(home, writers), writers);
  });

  for (const writer of [...CONFIG_WRITERS, ...OTHER_WRITERS]) {
    verifies('BOUND-4', `keep every change of many processes that run ${writer.command}`, fullDoseOnly, async () => {
      await using home = await createTemporaryHome();
      const writers = [[writer, PROCESSES]] as const;
      expectAllDone(await runTogether(home, writers), writers);
    });
  }

  verifies(
    'BOUND-4',
    'have the provider and the model of one process, if several set the model',
    fullDoseOnly,
    async () => {
      await using home = await createTemporaryHome({
        'config.yaml': 'model: { provider: openrouter, default: a/first, context_length: 5000 }\n',
      });
      const choices = [
        ['openrouter', 'a/second'],
        ['anthropic', 'claude-x'],
        ['custom', 'own', '--base-url', 'http://127.0.0.1:9/v1'],
      ];
      const set = (choice: readonly string[]) =>
        startHermes(['model', 'set', ...choice, '--offline', '--force'], { home, input: '' }).exited;
      const exits = await Promise.all(dose(choices, [...choices, ...choices]).map(set));
      expect(exits.map(({ exitCode }) => exitCode)).toEqual(exits.map(() => 0));
      const { model } = parse(await home.read('config.yaml')) as { model: Record<string, unknown> };
      expect(
        choices.map(([provider, name, , url]) => ({ provider, default: name, ...(url && { base_url: url }) })),
      ).toContainEqual(model);
    },
  );

  verifies('BOUND-4', 'stay complete if some of the processes are killed', fullDoseOnly, async () => {
    await using home = await createTemporaryHome({ 'config.yaml': FIRST_CONFIG });
    const set = (number: number) =>
      startHermes(['config', 'set', `own.set_${number}`, `${number}`, '--force'], { home, input: '' });
    const done: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      const started = Array.from({ length: 12 }, (_, index) => round * 12 + index).map((number) => ({
        number,
        hermes: set(number),
      }));
      // The first exit shows that the others are about to write.
      await Promise.race(started.map(({ hermes }) => hermes.exited));
      for (const { number, hermes } of started) if (number % 3 === 0) hermes.kill('SIGKILL');
      const ended = await Promise.all(
        started.map(async ({ number, hermes }) => [number, await hermes.exited] as const),
      );
      for (const [number, { exitCode, signal }] of ended) {
        expect(exitCode === 0 || signal === 'SIGKILL').toBe(true);
        if (exitCode === 0) done.push(number);
      }
    }
    const { own } = parse(await home.read('config.yaml')) as { own: Record<string, number> };
    expect(done.filter((number) => own[`set_${number}`] !== number)).toEqual([]);
  });

  verifies(
    ['BOUND-4', 'BOUND-2'],
    'are not changed if their lock cannot be created, and the message says so',
    async () => {
      await using home = await createTemporaryHome({ 'config.yaml': FIRST_CONFIG, '.env': 'KEPT=1\n' });
      // A folder at the path of each lock, which not even root can replace with a file.
      for (const file of ['config.yaml', '.env', 'auth.json']) {
        await mkdir(join(home.path, `${file}.lock/inside`), { recursive: true });
      }
      const refused = [
        [['config', 'set', 'agent.max_turns', '5'], 'config.yaml'],
        [['config', 'set', 'NEW', 'x'], '.env'],
        [['auth', 'add', 'openrouter', '--key', `sk-or-${'x'.repeat(30)}`], 'auth.json'],
      ] as const;
      for (const [args, file] of refused) {
        const { exitCode, stderr } = await runHermes(args, { home });
        expect([exitCode, stderr]).toEqual([
          2,
          expect.stringMatching(`Could not write .*${file}: .*Nothing was changed`),
        ]);
      }
      expect(await home.read('config.yaml')).toBe(FIRST_CONFIG);
      expect(await home.read('.env')).toBe('KEPT=1\n');
    },
  );
});
