#!/usr/bin/env node
// Plain JavaScript for every Node version, so that an old one prints a message instead of a syntax error. For the same
// reason built-in modules are loaded as a whole: a named import that an old Node lacks would fail before the first line
// runs. `process.getBuiltinModule` is faster than an import, if Node has it.
const builtIn = async (name) => process.getBuiltinModule?.(name) ?? import(name);
const fs = await builtIn('node:fs');
const path = await builtIn('node:path');
const url = await builtIn('node:url');

const root = path.dirname(path.dirname(fs.realpathSync(url.fileURLToPath(import.meta.url))));
const OLD_NODE =
  `hermes requires Node 26, Node 24 (24.15 or newer) or Node 22 (22.22.3 or newer), but this is Node ${process.versions.node}: ` +
  'install Node 24, for example with `nvm install 24` or from https://nodejs.org/en/download, and run the command again.';
const NO_WINDOWS =
  'hermes does not run on native Windows: run `wsl --install` in PowerShell, then install Node and hermes inside WSL.';

// First of all, so that nothing is written or started on a system that Hermes was not made for.
if (process.platform === 'win32') fail(NO_WINDOWS);
else if (!isSupported(process.versions.node)) await runWithOwnNode();
else await runCli();

function isSupported(version) {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  if (major === 22) return minor > 22 || (minor === 22 && patch >= 3);
  if (major === 24) return minor >= 15;
  return major >= 26;
}

/** A checkout has its own Node in node_modules; an installed package uses the one it was installed for. */
async function runWithOwnNode() {
  const candidates = [
    path.join(root, 'node_modules', 'node', 'bin', 'node'),
    path.join(root, 'node_modules', '.bin', 'node'),
  ];
  const own = candidates.find((file) => fs.existsSync(file));
  // The variable prevents two unsupported Nodes from starting each other forever.
  if (own === undefined || process.env.HERMES_NODE_CHOSEN === '1') {
    fail(OLD_NODE);
    return;
  }
  const { spawn } = await builtIn('node:child_process');
  const child = spawn(own, [url.fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, HERMES_NODE_CHOSEN: '1' },
  });
  // A terminal sends Ctrl-C to both processes; signals of other processes are forwarded.
  const forwarded = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'];
  for (const signal of forwarded) process.on(signal, () => forward(child, signal));
  child.on('error', (error) => fail(`hermes could not start ${own}: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    for (const one of forwarded) process.removeAllListeners(one);
    process.kill(process.pid, signal);
  });
}

function forward(child, signal) {
  if (signal === 'SIGINT' && process.stdin.isTTY) return;
  child.kill(signal);
}

async function runCli() {
  delete process.env.HERMES_NODE_CHOSEN;
  const entry = path.join(root, 'dist', 'cli.js');
  if (!fs.existsSync(entry)) {
    fail('hermes is not built yet: run `npm run build` in its folder.');
    return;
  }
  process.once('beforeExit', endUnsettled);
  await useCompileCache();
  let exitCode;
  try {
    const { main } = await import(url.pathToFileURL(entry).href);
    exitCode = await main(process.argv.slice(2));
  } catch (thrown) {
    if (thrown?.syscall === 'uv_cwd') {
      endWith({
        message: 'hermes could not start: the current directory no longer exists.',
        hint: 'Change to an existing directory, for example with `cd ~`, and start it again.',
      });
      return;
    }
    // Commands report their own errors; this is a missing or outdated file of the program.
    const message = `hermes could not start: ${thrown?.message ?? thrown}`;
    endWith({ message, hint: 'Start it again; if that does not help, reinstall it.' });
    return;
  }
  await Promise.all([process.stdout, process.stderr].map(drained));
  // A background command or an open connection must not keep the process alive.
  process.exit(exitCode || exitCodeOf(process.stdout.errored));
}

/** Like `src/surfaces/cli/output-errors.ts`, for output that fails after the command has ended. */
function exitCodeOf(outputError) {
  if (!outputError) return 0;
  return outputError.code === 'EPIPE' || outputError.code === 'EIO' ? 141 : 1;
}

/** The event loop is empty but there is no result; without this Node would exit with a warning of its own. */
function endUnsettled() {
  endWith({
    message: 'hermes stopped without a result: the event loop is empty.',
    hint: 'This is a bug; please report it.',
  });
}

/** Prints the error for users, and a result record for programs that read JSON lines. */
function endWith(error) {
  process.stderr.write(`${error.message}\n        ${error.hint}\n`);
  if (process.argv.includes('--json')) {
    const result = { exit_reason: 'failed', exit_code: 1, final_response: '', error };
    process.stdout.write(`${JSON.stringify({ v: 1, type: 'result', ...result })}\n`);
  }
  process.exit(1);
}

/** Keeps a compile cache in the home directory, readable only by its owner. It only saves time. */
async function useCompileCache() {
  try {
    const home = await resolveHome();
    // The home is created by setup or by the first session, not by commands such as `--version`.
    if (!fs.existsSync(home)) return;
    const folder = path.join(home, 'cache', 'compile');
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    (await builtIn('node:module')).enableCompileCache(folder);
  } catch {
    // With a read-only home startup is slightly slower.
  }
}

/** Like `src/config/paths.ts`, which is not loaded yet. */
async function resolveHome() {
  const chosen = process.env.HERMES_HOME?.trim() || '~/.hermes';
  if (chosen !== '~' && !chosen.startsWith('~/')) return path.resolve(chosen);
  return path.join(process.env.HOME || (await builtIn('node:os')).homedir(), chosen.slice(1));
}

function drained(stream) {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) resolve();
    else stream.write('', () => resolve());
  });
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 2;
}
