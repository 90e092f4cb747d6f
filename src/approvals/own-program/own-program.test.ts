import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { selfEscalationLookAlikes, selfEscalations } from '../corpus.fixture.ts';
import { createApprovalGuard } from '../index.ts';

const ROOT = join(import.meta.dirname, '../../..');
const ENTRY = join(ROOT, 'bin/hermes.js');
const guard = createApprovalGuard({ home: '/home/ann', hermesHome: '/home/ann/.hermes' });
const judge = (command: string, directory = '/home/ann/project') => guard.judgeCommand(command, directory);
const verdictOf = async (command: string, directory?: string) => (await judge(command, directory)).verdict;

let folder = '';
/** A hard link must be on the same file system. */
let sameDevice = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hermes-own-'));
  sameDevice = mkdtempSync(join(ROOT, 'node_modules/.hermes-own-'));
});
afterAll(() => {
  for (const each of [folder, sameDevice]) rmSync(each, { recursive: true, force: true });
});

describe('the corpus of self-escalations', () => {
  verifies('APPR-6', 'asks before a command changes, duplicates or ends the running agent', async () => {
    const commands = selfEscalations();
    expect(commands.length).toBeGreaterThan(150);
    const missed: string[] = [];
    for (const { command } of commands) if ((await verdictOf(command)) === 'allow') missed.push(command);
    expect(missed).toEqual([]);
  });

  verifies('APPR-6', 'runs look-alikes and commands that only read without asking', async () => {
    const commands = selfEscalationLookAlikes();
    expect(commands.length).toBeGreaterThan(150);
    const alarms: string[] = [];
    for (const command of commands) if ((await verdictOf(command)) !== 'allow') alarms.push(command);
    expect(alarms).toEqual([]);
  });
});

/** Ways to start Hermes; `%` is replaced by its arguments. */
const STARTS = [
  'hermes %',
  './hermes %',
  '/opt/tools/bin/hermes %',
  'node bin/hermes.js %',
  'node --no-warnings ./bin/hermes.js %',
  'npx hermes %',
  'npx -y hermes-agent-ts@latest %',
  'npm exec -- hermes %',
  'pnpm dlx hermes-agent-ts %',
  'yarn dlx hermes-agent-ts %',
  'bunx hermes-agent-ts %',
  '$(which hermes) %',
  '"$(command -v hermes)" %',
  'H=hermes; $H %',
  'alias z="hermes --json"; z %',
  'z() { hermes "$@"; }; z %',
  'ln -s "$(which hermes)" ./z; ./z %',
  'cp /usr/bin/hermes /tmp/z && /tmp/z %',
];
const WRAPPERS = [
  '%',
  'HERMES_HOME=/tmp/h %',
  'env HERMES_HOME=/tmp/h A=1 %',
  'command %',
  'exec %',
  'nohup %',
  'timeout 30 %',
  'sudo -u ann %',
];
const SCRIPTS = [
  '%',
  '(%)',
  'cd src && %',
  'if true; then %; fi',
  "bash -c '%'",
  "eval '%'",
  "sh <<< '%'",
  'echo a; % | tee log',
];
const CHANGES = [
  'config set approvals.mode off',
  'import x.tar.gz',
  'skills install ./x',
  'skills trust',
  'model set custom x',
  'fallback add ollama x',
  'sessions migrate --to x',
  'checkpoints restore 3',
  'doctor --fix',
  'memory edit',
  '--yolo -q x',
  '-q x',
  'chat',
];
const READS = [
  'config show',
  'sessions list --limit 3',
  'doctor --offline',
  '--version',
  'skills list',
  'model show --json',
];

describe('spellings of a start of Hermes', () => {
  const spelled = (calls: readonly string[]) =>
    fc
      .tuple(
        fc.constantFrom(...STARTS),
        fc.constantFrom(...WRAPPERS),
        fc.constantFrom(...SCRIPTS),
        fc.constantFrom(...calls),
      )
      .map(([start, wrapper, script, call]) => {
        // A wrapper takes a program, so it cannot precede definitions.
        const wrapped = /;|&&/.test(start) ? start : wrapper.replace('%', () => start);
        return script.replace('%', () => wrapped.replace('%', () => call));
      });

  verifies('APPR-6', 'asks however a changing command is started', async () => {
    await fc.assert(
      fc.asyncProperty(spelled(CHANGES), async (command) => {
        expect([command, await verdictOf(command)]).toEqual([command, 'ask']);
      }),
      { numRuns: 400 },
    );
  });

  verifies(
    'APPR-6',
    'runs a reading command however it is started, unless a name for all commands is made',
    async () => {
      const direct = spelled(READS).filter((command) => !/alias |z\(\)/.test(command));
      await fc.assert(
        fc.asyncProperty(direct, async (command) => {
          expect([command, await verdictOf(command)]).toEqual([command, 'allow']);
        }),
        { numRuns: 300 },
      );
    },
  );
});

describe('the running program on disk', () => {
  verifies('APPR-6', 'is recognised through links, hard links, folders of PATH and copies of the package', async () => {
    symlinkSync(ENTRY, join(folder, 'tool'));
    linkSync(ENTRY, join(sameDevice, 'hard.js'));
    symlinkSync(join(ROOT, 'bin'), join(folder, 'folder'));
    mkdirSync(join(folder, 'copy/bin'), { recursive: true });
    writeFileSync(join(folder, 'copy/package.json'), '{"name":"hermes-agent-ts"}');
    writeFileSync(join(folder, 'copy/bin/start.js'), 'import "../dist/cli.js"');
    const starts = [
      './tool',
      `${folder}/tool`,
      `node ${sameDevice}/hard.js`,
      `${sameDevice}/hard.js`,
      'node ./folder/../tool',
      'node copy/bin/start.js',
      `node ${ENTRY}`,
      `node ${ROOT}/src/surfaces/cli/main.ts`,
      `PATH=${folder}:$PATH tool`,
      `export PATH="${folder}:$PATH"; tool`,
    ];
    for (const start of starts) {
      expect([start, await verdictOf(`${start} config set a b`, folder)]).toEqual([start, 'ask']);
      expect([start, await verdictOf(`${start} sessions list`, folder)]).toEqual([start, 'allow']);
    }
  });

  it('is not confused with other files of the same folder', async () => {
    writeFileSync(join(folder, 'other.js'), 'console.log(1)');
    for (const command of [
      'node other.js config set a b',
      `node ${ROOT}/scripts/tool-manifest.mjs`,
      './other config set a b',
    ])
      expect([command, await verdictOf(command, folder)]).toEqual([command, 'allow']);
  });

  verifies('APPR-6', 'is not ended without asking, by the ids of its process and of its parent', async () => {
    for (const pid of [process.pid, process.ppid]) {
      for (const command of [
        `kill ${pid}`,
        `kill -9 ${pid}`,
        `kill -- -${pid}`,
        `env kill -s TERM ${pid}`,
        `python3 -c "import os; os.kill(${pid}, 9)"`,
      ])
        expect([command, await verdictOf(command)]).toEqual([command, 'ask']);
      expect(await verdictOf(`kill -0 ${pid}`)).toBe('allow');
    }
  });

  it('has names for what it asks about', async () => {
    const rules = async (command: string) => (await judge(command)).reasons.map(({ rule }) => rule);
    expect(await rules('hermes config set a b')).toEqual(["change the agent's own configuration"]);
    expect(await rules('hermes -q hi')).toEqual(['start another agent']);
    expect(await rules('hermes --yolo -q hi')).toEqual(["change the agent's own configuration"]);
    expect(await rules('kill $PPID')).toEqual(['end the running agent']);
  });
});
