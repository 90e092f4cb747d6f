import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createProviderServer, type ProviderServer, type TemporaryHome } from '../../../src/testing/index.ts';
import type { Background } from '../pty/emulator.ts';
import { isReady } from '../pty/chat-state.ts';
import { startTerminalProcess, type TerminalProcess } from '../pty/terminal-process.ts';
import { takeScreenshot } from '../screenshots/screenshot.ts';
import type { Mask } from '../screenshots/masks.ts';
import { DEMO_MASKS, MASKS } from './masks.ts';
import { newcomerReply, QUESTIONS } from './model.ts';
import { documentedCommand } from './documented-command.ts';

const CLOCK = join(import.meta.dirname, 'fixed-clock.cjs');
const SIZE = { columns: 92, rows: 34 };
const TALL = { columns: 92, rows: 60 };

/** A screenshot of each step by name, and the exit codes. */
export type Walk = { pictures: Map<string, string>; exitCodes: number[] };

/** The start time of a command and its window. */
type When = { time: string; background?: Background; size?: typeof SIZE; env?: Record<string, string> };

type Step = {
  /** Runs a command of the README or the tutorial with the given function and waits until the command has exited. */
  run(when: When, command: string, use: (terminal: TerminalProcess) => Promise<void>): Promise<void>;
  show(
    name: string,
    terminal: TerminalProcess,
    picture: { title: string; masks?: readonly Mask[]; background?: Background },
  ): void;
};

/** From the README to the second day, like a new user. */
export async function walkNewcomerPath(home: TemporaryHome, server: ProviderServer): Promise<Walk> {
  await using lab = await createProviderServer({ script: newcomerReply, models: Object.keys(LAB_MODELS) });
  const walk: Walk = { pictures: new Map(), exitCodes: [] };
  await fillWorkspace(home);
  const step: Step = {
    async run({ time, background = 'dark', size = SIZE, env: more }, command, use) {
      // With a configured browser Hermes does not search for one, so the banner shows the same number of tools on
      // every machine.
      const browser = { AGENT_BROWSER_EXECUTABLE_PATH: '/usr/bin/chromium' };
      const env = { HERMES_TEST_TIME: time, TZ: 'UTC', ...browser, ...more };
      const nodeArguments = ['--require', CLOCK];
      const args = documentedCommand(command);
      await using terminal = startTerminalProcess({ home, args, env, nodeArguments, background, ...size });
      await use(terminal);
      walk.exitCodes.push(await terminal.exited);
    },
    show(name, { emulator }, picture) {
      walk.pictures.set(name, takeScreenshot(emulator, { masks: MASKS, ...picture }));
    },
  };
  await tryTheDemo(step, join(home.userHome, 'demo-home'));
  await connectModel(step, server, home);
  await workForTheFirstTime(step, server);
  await addLab(home, lab);
  await comeBack(step, home);
  await planAndBuild(step);
  return walk;
}

async function fillWorkspace({ userHome, workspace }: TemporaryHome): Promise<void> {
  const sizes = { 'app.log': 3_000, 'web.log': 800, 'cron.log': 200 };
  for (const [name, size] of Object.entries(sizes)) await writeFile(join(workspace, name), `${'.'.repeat(size - 1)}\n`);
  await writeFile(join(userHome, '.bashrc'), "export EDITOR=vi\nalias ll='ls -l'\n");
}

/** Without a model there is a demo. It has a separate home, so that its estimates do not affect later figures. */
async function tryTheDemo({ run, show }: Step, demoHome: string): Promise<void> {
  await run({ time: '2026-03-02T09:00:00Z', env: { HERMES_HOME: demoHome } }, 'npm start', async (terminal) => {
    await terminal.until('How do you want to start?');
    await terminal.until('Quit');
    show('first-start', terminal, { title: 'npm start' });
    terminal.press('down', 'enter');
    await untilBegun(terminal);
    await ask(terminal, 'list the files here', 'These files are here');
    show('demo', terminal, { title: 'hermes on the demo model', masks: DEMO_MASKS });
    await leave(terminal);
  });
}

/** Setup proposes the sandbox where bubblewrap works. This one does everywhere. */
async function putBubblewrap(folder: string): Promise<string> {
  await mkdir(folder);
  await writeFile(join(folder, 'bwrap'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  return `${folder}:${process.env['PATH']}`;
}

async function connectModel({ run, show }: Step, server: ProviderServer, home: TemporaryHome): Promise<void> {
  const PATH = await putBubblewrap(join(home.userHome, 'programs'));
  await run({ time: '2026-03-02T09:10:00Z', env: { PATH } }, 'hermes setup', async (terminal) => {
    await terminal.until('Which provider?');
    terminal.type('custom');
    await terminal.until(/● .*[Cc]ustom/);
    terminal.press('enter');
    await terminal.until('Base URL');
    terminal.type(`${server.url}/v1`);
    await terminal.until(`${server.url}/v1`);
    terminal.press('enter');
    await terminal.until(/[Kk]ey/);
    terminal.type('lab-key');
    terminal.press('enter');
    await terminal.until('Which model?');
    await terminal.until('● test-model');
    terminal.press('enter');
    await terminal.until('Saved ');
    await terminal.until('Directly on this machine');
    terminal.press('down', 'down', 'enter');
    await terminal.until('Start a chat now?');
    show('setup', terminal, { title: 'hermes setup' });
    terminal.press('right', 'enter');
  });
}

async function workForTheFirstTime({ run, show }: Step, server: ProviderServer): Promise<void> {
  await run({ time: '2026-03-02T09:12:00Z' }, 'hermes', async (terminal) => {
    await untilBegun(terminal);
    await ask(terminal, QUESTIONS.first, 'logrotate --debug');
    show('question', terminal, { title: 'a question' });
    terminal.type(`${QUESTIONS.edit}\r`);
    await terminal.until('"always" would allow');
    show('approval', terminal, { title: 'a change that asks first' });
    terminal.type('o');
    await terminal.until((screen) => isReady(screen) && screen.some((line) => line.includes('in every new shell')));
    show('edit', terminal, { title: 'a change' });
    terminal.type(`${QUESTIONS.long}\r`);
    await terminal.until('3. To keep');
    terminal.press('esc');
    await server.waitForDisconnect();
    await terminal.until((screen) => isReady(screen) && screen.some((line) => line.includes('interrupted')));
    show('interrupt', terminal, { title: 'an answer that was enough' });
    await leave(terminal);
  });
}

/** The models of a second endpoint: context window, and dollars per million tokens. */
const LAB_MODELS = {
  'heron-mini': [128_000, 0.2, 0.8],
  'heron-large': [400_000, 1.25, 10],
  'kestrel-4': [1_000_000, 3, 15],
  'kestrel-4-fast': [200_000, 0.8, 4],
} as const;

async function addLab({ path }: TemporaryHome, lab: ProviderServer): Promise<void> {
  const facts = Object.entries(LAB_MODELS).map(
    ([name, [window, input, output]]) =>
      `  ${name}: { context_length: ${window}, price: { input: ${input}, output: ${output} } }\n`,
  );
  const endpoint = `custom_providers:\n  - { name: lab, base_url: '${lab.url}/v1', api_key: lab-key }\n`;
  await appendFile(join(path, 'config.yaml'), `${endpoint}model_overrides:\n${facts.join('')}`);
}

/** The next morning, with the history of the first day. */
async function comeBack({ run, show }: Step, { workspace }: TemporaryHome): Promise<void> {
  await run({ time: '2026-03-03T08:30:00Z', background: 'light' }, 'hermes --continue', async (terminal) => {
    await untilBegun(terminal);
    await terminal.until('interrupted');
    show('resume', terminal, { title: 'the next day', background: 'light' });
    await ask(terminal, QUESTIONS.nextDay, 'were cut short');
    terminal.type(`${QUESTIONS.tasks}\r`);
    await terminal.until((screen) => screen.some((line) => line.startsWith('○ terminal  while')));
    await terminal.until((screen) => screen.some((line) => line.startsWith('◷ proc')));
    show('tasks', terminal, { title: 'tasks and a background process', background: 'light' });
    await mkdir(join(workspace, 'rotated'));
    await terminal.until((screen) => isReady(screen) && screen.some((line) => line.includes('the cron entry is left')));
    await showList(terminal, '/model', 'kestrel-4-fast');
    show('models', terminal, { title: '/model', background: 'light' });
    await closeList(terminal);
    await showList(terminal, '/config', 'Settings');
    terminal.type('display the');
    await terminal.until((screen) => screen.some((line) => line.startsWith('❯ display.theme')));
    show('settings', terminal, { title: '/config', background: 'light' });
    // The first Esc clears the search.
    terminal.press('esc');
    await terminal.until((screen) => screen.includes('search:'));
    await closeList(terminal);
    await leave(terminal);
  });
  const look = (command: string, name: string) =>
    run({ time: '2026-03-03T17:00:00Z', size: TALL }, command, async (terminal) => {
      await terminal.exited;
      show(name, terminal, { title: command });
    });
  await look('hermes sessions search', 'search');
  await look('hermes insights', 'insights');
}

/** A plan to approve, a question with choices, and the output of a running command. */
async function planAndBuild({ run, show }: Step): Promise<void> {
  await run({ time: '2026-03-04T09:00:00Z' }, 'hermes', async (terminal) => {
    await untilBegun(terminal);
    terminal.type(`/plan ${QUESTIONS.plan}\r`);
    await terminal.until('❯ 1. Approve the plan');
    show('plan', terminal, { title: 'a plan to approve' });
    terminal.press('enter');
    await terminal.until('❯ 1. weekly');
    show('choices', terminal, { title: 'a question with choices' });
    terminal.press('enter');
    await terminal.until('checked web.log');
    show('output', terminal, { title: 'the output of a running command' });
    terminal.press('esc');
    await terminal.until((screen) => isReady(screen) && screen.some((line) => line.includes('interrupted')));
    await leave(terminal);
  });
}

async function showList(terminal: TerminalProcess, command: string, item: string): Promise<void> {
  terminal.type(`${command}\r`);
  await terminal.until((screen) => screen.some((line) => line.includes(item)) && !screen.join().includes('loading'));
}

async function closeList(terminal: TerminalProcess): Promise<void> {
  terminal.press('esc');
  await terminal.until(isReady);
}

/** Waits for the last line of the banner, which appears when all lookups have finished. */
async function untilBegun(terminal: TerminalProcess): Promise<void> {
  await terminal.until((screen) => isReady(screen) && screen.some((line) => / \d+ tools/.test(line)));
}

async function ask(terminal: TerminalProcess, question: string, answer: string): Promise<void> {
  terminal.type(`${question}\r`);
  await terminal.until((screen) => isReady(screen) && screen.some((line) => line.includes(answer)));
}

async function leave(terminal: TerminalProcess): Promise<void> {
  terminal.press('ctrl-d');
  await terminal.exited;
}
