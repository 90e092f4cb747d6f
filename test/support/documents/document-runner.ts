import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import {
  createProviderServer,
  createTemporaryHome,
  type ReceivedRequest,
  type Reply,
} from '../../../src/testing/index.ts';
import { configFor } from '../provider-config.ts';
import { runHermes } from '../run-hermes.ts';
import { findHermesCalls } from './shell-blocks.ts';

const BINARY = join(import.meta.dirname, '../../../bin/hermes.js');
const TIMEOUT_MS = 20_000;
const execute = promisify(execFile);

/** A small project in which the commands of a document run. */
const PROJECT = {
  'README.md': '# Greeter\n\nSays hello.\n',
  'greet.mjs': "export const greet = (name) => 'Hello ' + nmae;\n",
  'greet.test.mjs': "import { greet } from './greet.mjs';\nif (greet('Ada') !== 'Hello Ada') process.exit(1);\n",
  'prompts.jsonl': '{"prompt": "Say hello."}\n',
};

/** A home with a scripted model and one stored session, and a Git repository as working directory. */
export interface DocumentRunner extends AsyncDisposable {
  /** Runs a command line. Returns undefined if it exited with 0, otherwise what it printed. */
  run(commandLine: string): Promise<string | undefined>;
}

export async function createDocumentRunner(): Promise<DocumentRunner> {
  const server = await createProviderServer({ script: reply });
  const home = await createTemporaryHome({ 'config.yaml': configFor(server) });
  for (const [name, text] of Object.entries(PROJECT)) await writeFile(join(home.workspace, name), text);
  const binaries = join(home.userHome, 'bin');
  await mkdir(binaries);
  await writeFile(join(binaries, 'hermes'), `#!/bin/sh\nexec "${process.execPath}" "${BINARY}" "$@"\n`);
  await chmod(join(binaries, 'hermes'), 0o755);
  const env = { PATH: `${binaries}${delimiter}${process.env['PATH'] ?? ''}`, TMPDIR: process.env['TMPDIR'] };
  const identity = { HOME: home.userHome, HERMES_HOME: home.path, GIT_CONFIG_GLOBAL: '/dev/null' };

  const runInShell = async (commandLine: string) => {
    const options = { cwd: home.workspace, env: { ...env, ...identity }, timeout: TIMEOUT_MS };
    const running = execute('bash', ['--norc', '-eo', 'pipefail', '-c', commandLine], options);
    running.child.stdin?.end();
    return running.then(
      () => undefined,
      ({ stdout, stderr }: { stdout: string; stderr: string }) => `${stdout}${stderr}`,
    );
  };
  const run = async (commandLine: string) => {
    const [call] = findHermesCalls(commandLine);
    if (call?.isWholeLine !== true) return runInShell(commandLine);
    const { exitCode, stdout, stderr } = await runHermes(call.words, { home, timeoutMs: TIMEOUT_MS });
    return exitCode === 0 ? undefined : `exit code ${exitCode}\n${stdout}${stderr}`;
  };

  const author = '-c user.name=Test -c user.email=test@example.com -c init.defaultBranch=main';
  await runInShell(`git ${author} init -q && git add . && git ${author} commit -qm "Add the greeter"`);
  await run('hermes -q "why does the test fail?"');
  return {
    run,
    async [Symbol.asyncDispose]() {
      await server.close();
      await home.remove();
    },
  };
}

function reply({ toolNames }: ReceivedRequest): Reply {
  // Only the chat has tools; the other request is for a title.
  return { text: toolNames.length === 0 ? 'A failing test' : 'The variable `name` is misspelled in `greet.mjs`.' };
}
