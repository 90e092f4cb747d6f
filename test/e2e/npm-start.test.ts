import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTemporaryHome, runHermes, type TemporaryHome } from '../../src/testing/index.ts';
import { startTerminalProcess } from '../support/pty/terminal-process.ts';

const ROOT = join(import.meta.dirname, '../..');
const START = join(ROOT, 'scripts/start.mjs');
const LIST_FILES = ['--provider', 'demo', '-z', 'list the files here'];
/** Prints the environment that the commands of Hermes would inherit. */
const PRINT_ENVIRONMENT = `--import=data:text/javascript,${encodeURIComponent(
  "process.on('exit', () => console.error(JSON.stringify(process.env)))",
)}`;

describe('npm start', () => {
  let home: TemporaryHome;
  let project: string;
  beforeEach(async () => {
    home = await createTemporaryHome();
    project = join(home.userHome, 'project');
    await mkdir(project);
    await writeFile(join(project, 'made-up.txt'), '');
  });
  afterEach(() => home.remove());
  /** npm runs scripts in the checkout, and tells them in which directory it was called. */
  const start = (args: string[], env: Record<string, string>) =>
    runHermes(args, { home, env, script: START, cwd: ROOT });

  it('works on the directory in which npm was called', async () => {
    const { exitCode, stdout } = await start(LIST_FILES, { INIT_CWD: project });
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('made-up.txt') });
  });

  it.each([[['--in', 'project']], [['--in=project']]])('works on the given directory: %j', async (option) => {
    const { exitCode, stdout } = await start([...option, ...LIST_FILES], { INIT_CWD: home.userHome });
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('made-up.txt') });
  });

  it.each([
    [['--in', 'missing'], '/missing is not a directory'],
    [['--in', 'project/made-up.txt'], '/project/made-up.txt is not a directory'],
    [['--in'], '--in needs the folder to work in'],
  ])('rejects a directory that does not exist: %j', async (option, reason) => {
    const { exitCode, stdout, stderr } = await start(option, { INIT_CWD: home.userHome });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(reason);
    expect(stderr).toContain('`npm start -- --in FOLDER`');
  });

  it('does not pass on what npm has set for the script', async () => {
    const PATH = `${ROOT}/node_modules/.bin:/opt/npm/node-gyp-bin:/own/node_modules/.bin:/usr/bin`;
    const settings = {
      npm_config_omit: 'dev',
      npm_config_loglevel: 'error',
      npm_config_registry: 'http://127.0.0.1:1',
    };
    const { stderr } = await start(['--version'], {
      ...settings,
      PATH,
      INIT_CWD: project,
      npm_lifecycle_event: 'start',
      npm_package_name: 'hermes-agent-ts',
      NODE_OPTIONS: PRINT_ENVIRONMENT,
    });
    const env = JSON.parse(stderr) as Record<string, string>;
    expect(Object.keys(env).filter((name) => /npm|INIT_CWD/i.test(name))).toEqual(['npm_config_registry']);
    expect(env['PWD']).toBe(project);
    expect(env['PATH']).toBe('/own/node_modules/.bin:/usr/bin');
  });

  it('asks for a directory before a chat in the checkout', async () => {
    await using terminal = startTerminalProcess({ home, program: START, env: { INIT_CWD: ROOT } });
    await terminal.until('Which folder should Hermes work in?');
    terminal.press('ctrl-u');
    terminal.type(project);
    await terminal.until(`● ${project}`);
    terminal.press('enter');
    await terminal.until('How do you want to start?');
    terminal.press('down', 'enter');
    await terminal.until(/ \d+ tools/);
    terminal.type('list the files here\r');
    await terminal.until('made-up.txt');
    expect(terminal.scrollback().join('\n')).not.toContain('CHANGELOG.md');
  });
});
