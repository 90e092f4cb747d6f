/**
 * The program that starts a script, as a file of its own beside it. It connects to the tools before any word of the script
 * runs and hands the open connection on, so the token that it was given is used up by then, and was in no variable, no
 * argument and no file. The streams of the script are told apart here, because those of a command are one.
 */
export const RUNNER_SOURCE = String.raw`
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { socket: place, token, mark, language, folder, errorLimit } = JSON.parse(readFileSync(0, 'utf8'));

const KEPT = /^(?:PATH|HOME|USER|LANG|LC_|TERM|TMP|TEMP|TZ|SHELL|LOGNAME|XDG_|PYTHONPATH|VIRTUAL_ENV|CONDA|HERMES_CALL)/;
const SECRET = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|PASSWD|AUTH|DSN|WEBHOOK|CREDS|BEARER/i;
const env = {};
for (const [name, value] of Object.entries(process.env)) if (KEPT.test(name) && !SECRET.test(name)) env[name] = value;

const head = [];
const tail = [];
let [headSize, tailSize, dropped] = [0, 0, 0];
function keep(bytes) {
  const room = Math.max(0, Math.floor(errorLimit * 0.4) - headSize);
  if (room > 0) head.push(bytes.subarray(0, room));
  headSize += Math.min(room, bytes.length);
  const rest = bytes.subarray(room);
  if (rest.length > 0) tail.push(rest);
  tailSize += rest.length;
  while (tail.length > 1 && tailSize - tail[0].length >= errorLimit * 0.6) {
    tailSize -= tail[0].length;
    dropped += tail.shift().length;
  }
}
function errors() {
  const end = Buffer.concat(tail);
  const cut = Math.max(0, end.length - Math.floor(errorLimit * 0.6));
  const gap = dropped + cut > 0 ? '\n[… ' + (dropped + cut) + ' bytes left out …]\n' : '';
  return Buffer.concat(head).toString() + gap + end.subarray(cut).toString();
}

let left = false;
function leave(code, signal, problem) {
  if (left) return;
  left = true;
  // Of known length, whatever is in it: the end of an output is kept only so far.
  const report = JSON.stringify({ code, signal, problem, errors: Buffer.from(errors()).toString('base64') });
  const status = code ?? 128 + (constants.signals[signal] ?? 0);
  process.stdout.write('\n' + mark + report + '\n', () => process.exit(status));
}

function findPython() {
  const folders = (env.PATH ?? '').split(delimiter).filter((each) => each !== '');
  const own = env.VIRTUAL_ENV ? [join(env.VIRTUAL_ENV, 'bin', 'python')] : [];
  return [...own, ...['python3', 'python'].flatMap((name) => folders.map((each) => join(each, name)))].find(existsSync);
}

function planOf() {
  if (language === 'python') {
    const python = findPython();
    env.PYTHONPATH = [process.cwd(), env.PYTHONPATH].filter(Boolean).join(delimiter);
    return python && { file: python, args: ['-u', '-B', join(folder, 'script.py')], input: undefined };
  }
  const [major, minor] = process.versions.node.split('.').map(Number);
  const types = major > 22 || (major === 22 && minor >= 18);
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=' + (types ? 'module-typescript' : 'module')];
  const args = [...flags, '--import', pathToFileURL(join(folder, 'tools.mjs')).href, '-'];
  return { file: process.execPath, args, input: readFileSync(join(folder, 'script.ts')) };
}

function start(connection) {
  const plan = planOf();
  if (plan === undefined) return leave(127, null, 'Python is not installed here.');
  const child = spawn(plan.file, plan.args, { env, stdio: ['pipe', 'inherit', 'pipe', connection] });
  connection.destroy();
  child.stdin.on('error', () => undefined);
  child.stdin.end(plan.input);
  child.stderr.on('data', keep);
  child.once('error', (error) => leave(126, null, error.message));
  // What the script left running may hold its streams for ever.
  child.once('exit', (code, signal) => {
    const end = setTimeout(() => leave(code, signal), 100);
    child.once('close', () => {
      clearTimeout(end);
      leave(code, signal);
    });
  });
  process.on('SIGTERM', () => leave(null, 'SIGTERM'));
}

const connection = connect(place);
connection.pause();
connection.once('error', (error) => leave(125, null, 'The tools could not be reached: ' + error.message));
connection.once('connect', () => connection.write(token + '\n', () => start(connection)));
`;
