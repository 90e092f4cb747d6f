import { spawn } from 'node:child_process';
import { createWriteStream, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

/** Hermes ends a turn at its time limit by itself; this is for one that hangs. */
const GRACE_MS = 60_000;
const KILL_MS = 30_000;
/** This version of Hermes. */
const HERMES = join(import.meta.dirname, '../../bin/hermes.js');
const MAX_EVENT_BYTES = 100 * 1024 * 1024;
/**
 * Variables that the agent and its commands do not need: tokens of the runner, and the files through which a step
 * changes the variables, the PATH and the outputs of later steps.
 */
const WITHHELD = /^(?:INPUT_|ACTIONS_)|^(?:GITHUB_TOKEN|GH_TOKEN|GITHUB_(?:OUTPUT|ENV|PATH|STATE|STEP_SUMMARY))$/;

/** Runs the prompt and returns the result record, or a record of the same form if there is none. */
export async function runHermes({ inputs, files, checkout, env }) {
  writeFileSync(join(files.home, 'config.yaml'), JSON.stringify(createConfig(inputs), null, 2));
  const [program, ...args] = commandLine(inputs, files, checkout);
  const child = spawn(program, args, {
    cwd: files.work,
    env: {
      ...Object.fromEntries(Object.entries(env).filter(([name]) => !WITHHELD.test(name))),
      HERMES_HOME: files.home,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const timers = [
    setTimeout(() => child.kill('SIGTERM'), inputs.maxMinutes * 60_000 + GRACE_MS),
    setTimeout(() => child.kill('SIGKILL'), inputs.maxMinutes * 60_000 + GRACE_MS + KILL_MS),
  ];
  showLines(child.stderr);
  const [result, [code, signal]] = await Promise.all([collectEvents(child.stdout, files.events), once(child, 'close')]);
  for (const timer of timers) clearTimeout(timer);
  const ending = signal === null ? `exited with code ${code}` : `was killed by ${signal}`;
  return result ?? { exit_reason: 'failed', exit_code: code || 1, error: { message: `Hermes ${ending}.` } };
}

function commandLine({ command, maxTurns, toolsets, write, outputSchema }, files, checkout) {
  const start = command === '' ? [process.execPath, HERMES] : [command];
  const options = ['--json', '--query-file', files.prompt, '--max-turns', String(maxTurns), '--toolsets', toolsets];
  if (!write) options.push('--plan');
  if (outputSchema !== '') options.push('--output-schema', resolve(checkout, outputSchema));
  return [...start, ...options];
}

/** The configuration of a home directory that exists only for this run. JSON is also YAML. */
function createConfig({ model, provider, baseUrl, maxUsd, maxMinutes }) {
  return {
    model: {
      ...(model && { default: model }),
      ...(provider && { provider }),
      ...(baseUrl && { base_url: baseUrl }),
    },
    limits: { session_usd: maxUsd, turn_seconds: Math.ceil(maxMinutes * 60) },
    approvals: { single_query_mode: 'deny' },
    memory: { memory_enabled: false, user_profile_enabled: false },
    auxiliary: { title_generation: { enabled: false } },
    network: { background_refresh: false },
  };
}

/** Saves all events and returns the result record. */
async function collectEvents(stream, file) {
  const output = createWriteStream(file);
  let bytes = 0;
  let result;
  for await (const line of createInterface({ input: stream, crlfDelay: Infinity })) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes <= MAX_EVENT_BYTES) output.write(`${line}\n`);
    if (line.includes('"type":"result"')) result = parse(line) ?? result;
  }
  output.end();
  await once(output, 'finish');
  return result;
}

function parse(line) {
  try {
    const record = JSON.parse(line);
    return record.type === 'result' ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Text in the log can be a command for the runner. A prefix prevents that, and a space in the old form of commands. */
function showLines(stream) {
  createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) =>
    process.stdout.write(`hermes: ${line.replaceAll('##[', '## [')}\n`),
  );
}
