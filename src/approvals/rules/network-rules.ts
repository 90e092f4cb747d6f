import { isSecretToSend } from '../files/sending.ts';
import { isInterpreter } from '../shell/interpreters.ts';
import { DECODERS, NETWORK } from '../shell/script-files.ts';
import type { ShellCommand } from '../shell/shell-command.ts';
import { SHELLS } from '../shell/wrappers.ts';
import type { CommandRule } from './rule.ts';

/** Commands of the shell that read a text as a script. */
const READERS = new Set(['source', '.', 'eval', 'iex', 'Invoke-Expression']);

/** Whether a command executes what one of the sources prints, by pipe, `$(…)` or `<(…)`. */
function runsInputOf(command: ShellCommand, sources: ReadonlySet<string>): boolean {
  const { name, args, fedBy } = command;
  const runs = SHELLS.has(name) || isInterpreter(name) || READERS.has(name);
  if (!runs || !fedBy.some((source) => sources.has(source.name))) return false;
  // A program of its own gets the text as data: `curl … | python3 -m json.tool`, `| node count.js`.
  if (isInterpreter(name)) return readsProgram(args);
  return !hasScriptFile(name, args);
}

function hasScriptFile(name: string, args: readonly string[]): boolean {
  if (!SHELLS.has(name) || args.some((arg) => /^-[a-z]*[cs]$/.test(arg))) return false;
  const file = args.find((arg) => !/^[-+<$`]/.test(arg));
  return file !== undefined && !/^\/dev\/(?:stdin|fd\/0)$/.test(file);
}

/** An interpreter takes its program from standard input where it is given neither a file nor a text; `$(…)` is one. */
function readsProgram(args: readonly string[]): boolean {
  const [first = ''] = args.filter((arg) => !/^-[uBEsSwWiq]$/.test(arg));
  if (first === '' || first === '-' || first === '/dev/stdin') return true;
  return (
    args.some((arg) => /^\s*["']?(?:\$\(|`)|^<\(/.test(arg)) ||
    args.some((arg) => /\$\(/.test(arg) && /^-[ceEr]$/.test(first))
  );
}

/** Bringing scripts in and letting data or a shell out. */
export const NETWORK_RULES: readonly CommandRule[] = [
  {
    rule: 'run what the network sends',
    aboutInput: true,
    when: (command) => command.runs === 'network' || runsInputOf(command, NETWORK),
  },
  {
    rule: 'run what the network sends',
    everydayName: true,
    commands: ['npx', 'pnpx', 'bunx', 'uvx', 'pnpm', 'yarn', 'pipx', 'deno'],
    when: ({ name, args }) => {
      const words = args.filter((arg) => !arg.startsWith('-'));
      const runs =
        name.endsWith('x') && name !== 'pipx' ? words[0] : /^(?:dlx|run)$/.test(words[0] ?? '') ? words[1] : undefined;
      return /^(?:git\+|github:|gitlab:|https?:\/\/(?!(?:deno\.land|jsr\.io|esm\.sh)\/))/.test(runs ?? '');
    },
  },
  {
    rule: 'run hidden text',
    aboutInput: true,
    when: (command) => command.runs === 'decoder' || command.runs === 'text-tool' || runsInputOf(command, DECODERS),
  },
  {
    rule: 'open a shell to the network',
    commands: ['nc', 'ncat', 'netcat', 'socat', 'nc.traditional', 'telnet', 'openssl', 'cryptcat'],
    when: ({ name, args, fedBy }) =>
      args.some((arg) => /^-[a-z]*[ec]$|^--(?:sh-)?exec|^(?:EXEC|SYSTEM|SHELL):/i.test(arg) && name !== 'openssl') ||
      (fedBy.some((source) => SHELLS.has(source.name)) && name !== 'openssl') ||
      (name === 'openssl' && args.includes('s_client') && fedBy.some((source) => SHELLS.has(source.name))),
  },
  {
    rule: 'open a shell to the network',
    when: ({ redirects, args }) =>
      [...redirects.map(({ target }) => target), ...args].some(
        (word) => /\/dev\/(?:tcp|udp)\//.test(word) && !/\s/.test(word),
      ) && redirects.length > 0,
  },
  { rule: 'send secrets away', aboutInput: true, when: isSecretToSend },
  { rule: 'send secrets away', when: ({ code }) => code?.sendsEnvironment === true },
  {
    rule: 'open a tunnel to this machine',
    commands: ['ssh', 'ngrok', 'cloudflared', 'chisel', 'frpc', 'bore'],
    when: ({ name, args }) =>
      name === 'ssh'
        ? args.some((arg) => /^-[A-Za-z]*R/.test(arg))
        : args.some((arg) => /^(?:tcp|http|tunnel|client|local)$/.test(arg)),
  },
];
