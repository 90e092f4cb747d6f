// Walks a new user's path on a machine that has nothing but Debian, Node and npm: the commands of the README in a terminal,
// from the installation to the first answer of a scripted model, with the packed package in place of its name.
//
//   node .ci/new-machine.mjs FOLDER COMMAND…
//
// FOLDER contains the files of the machine, and COMMAND runs a command in it: podman, or chroot where no container can
// run. `prepare_new_machine` in .ci/run creates the folder.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProviderServer, createTemporaryHome } from '../src/testing/index.ts';
import { readShellBlocks } from '../test/support/documents/shell-blocks.ts';
import { startTerminalProcess } from '../test/support/pty/terminal-process.ts';

const [folder, ...enter] = process.argv.slice(2);
const TIME_LIMIT_MS = 90_000;
const QUICK_START = 4;
const PACKAGE = '/opt/hermes.tgz';
const ANSWER = 'The build fails because a file is missing.';
const PROMPT = 'new-machine$ ';
/** Neither `env` nor a shell on a new machine knows anything about the machine that tests it. */
const ENVIRONMENT = {
  HOME: '/root',
  LANG: 'C.UTF-8',
  TERM: 'xterm-256color',
  PS1: PROMPT,
  // Packages that were downloaded before are not downloaded again, which makes the time independent of the network.
  npm_config_cache: '/opt/npm-cache',
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_update_notifier: 'false',
};

function inMachine(node, ...command) {
  const PATH = `/opt/${node}/bin:/usr/bin:/bin`;
  const variables = Object.entries({ ...ENVIRONMENT, PATH }).map(([name, value]) => `${name}=${value}`);
  return [...enter, '/usr/bin/env', '--ignore-environment', ...variables, ...command];
}

/** Runs a shell script without a terminal, and returns its exit code and everything it printed. */
function run(node, script) {
  const [file, ...args] = inMachine(node, '/bin/sh', '-c', script).filter((word) => word !== '--tty');
  const { status, stdout, stderr } = spawnSync(file, args, { encoding: 'utf8', input: '', timeout: TIME_LIMIT_MS });
  return { status, output: `${stdout}${stderr}` };
}

function expectSuccess(node, script, expected) {
  const { status, output } = run(node, script);
  assert.equal(status, 0, `${script} exited with ${status}:\n${output}`);
  assert.match(output, expected);
  console.log(`ok: ${script}`);
}

/** The commands of the first block of the README, with the tarball instead of the name. */
function readQuickStart() {
  const [{ lines }] = readShellBlocks(readFileSync('README.md', 'utf8'));
  const commands = lines.map((line) => line.replace(/\s+#.*$/, '').replace(/\bhermes-agent-ts\b/, PACKAGE));
  assert.equal(commands.length, QUICK_START, 'the quick start of the README');
  return commands;
}

/** The setup sends a test request, too. */
function reply({ lastUserText }) {
  return { text: /why does the build fail/.test(lastUserText) ? ANSWER : 'Hello.' };
}

async function followReadme() {
  await using home = await createTemporaryHome();
  await using server = await createProviderServer({ script: reply });
  const shell = inMachine('node-24', '/bin/sh').map((word) => `'${word}'`);
  // The container engine finds its configuration through variables.
  const script = `exec ${shell.join(' ')}`;
  await using terminal = startTerminalProcess({ home, script, env: process.env, columns: 100, rows: 45 });
  await terminal.until(PROMPT.trim());
  const [install, setup, change, ask] = readQuickStart();
  const start = performance.now();
  let step = 0;
  const type = async (command, use = async () => {}) => {
    step += 1;
    terminal.type(`${command}; printf '\\nstep %s: exit code %s\\n' ${step} $?\r`);
    await use();
    await terminal.until(new RegExp(`step ${step}: exit code \\d`));
    const [end] = terminal.scrollback().filter((line) => line.startsWith(`step ${step}: `));
    assert.equal(end, `step ${step}: exit code 0`, terminal.scrollback().join('\n'));
    console.log(`ok: ${command} (at ${Math.round((performance.now() - start) / 1000)} s)`);
  };
  await type(install);
  await type(setup, () => connectModel(terminal, server.url));
  await type(change);
  await type(ask, () => terminal.until(ANSWER));
  assert.ok(performance.now() - start < TIME_LIMIT_MS, 'the first answer came in time');
  terminal.type('exit\r');
  await terminal.exited;
}

async function connectModel(terminal, url) {
  await terminal.until('Which provider?');
  terminal.type('custom');
  await terminal.until(/● .*[Cc]ustom/);
  terminal.press('enter');
  await terminal.until('Base URL');
  terminal.type(`${url}/v1`);
  await terminal.until(`${url}/v1`);
  terminal.press('enter');
  await terminal.until(/[Kk]ey/);
  terminal.type('lab-key');
  terminal.press('enter');
  await terminal.until('● test-model');
  terminal.press('enter');
  await terminal.until('Start a chat now?');
  terminal.press('right', 'enter');
}

/** A normal user cannot write to the folder in which this machine's npm installs commands. */
function useInstallScript() {
  const user = '/home/user';
  run('node-24', `mkdir -p ${user} && cp -r /opt/npm-cache ${user}/.npm && chown -R 1000:1000 ${user}`);
  const variables = `HOME=${user} npm_config_cache=${user}/.npm HERMES_INSTALL_SOURCE=${PACKAGE}`;
  const asUser = (command) =>
    `cd ${user} && setpriv --reuid=1000 --regid=1000 --clear-groups env ${variables} ${command}`;
  expectSuccess(
    'node-24',
    asUser('sh /opt/install.sh'),
    /root is not needed[^]*export PATH="\/home\/user\/\.local\/bin:/,
  );
  expectSuccess('node-24', asUser(`${user}/.local/bin/hermes --version`), /^\d+\.\d+\.\d+\n$/);
  expectSuccess('node-24', asUser('sh /opt/install.sh --uninstall'), /Removed/);
}

function refuseOldNode() {
  expectSuccess('node-20', `npm install --global --loglevel=error ${PACKAGE}`, /added/);
  for (const command of ['hermes', 'hermes -q hello', 'sh /opt/install.sh']) {
    const { status, output } = run('node-20', command);
    assert.ok(status === 1 || status === 2, `${command} exited with ${status}`);
    assert.match(output, /^[^\n]*equires Node [^\n]*this is Node 20\.[^\n]*nodejs\.org[^\n]*\n$/);
    console.log(`ok: ${command} on Node 20: ${output.trim()}`);
  }
}

// Both commands start in the root directory.
mkdirSync(join(folder, 'your-project'), { recursive: true });
await followReadme();
expectSuccess('node-24', `npx --yes --package ${PACKAGE} hermes --version`, /^\d+\.\d+\.\d+\n$/);
useInstallScript();
refuseOldNode();
