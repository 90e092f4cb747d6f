import { classifyOwnCall, namesOwnCommand, type OwnCall } from '../own-program/only-reads.ts';
import { isOwnModule, isOwnName } from '../own-program/own-program.ts';
import { isWithin, type MachineFacts } from '../files/machine-facts.ts';
import { ANY_HERMES_HOME } from '../files/secrets.ts';
import { optionValues, type ShellCommand } from '../shell/shell-command.ts';
import type { CommandRule } from './rule.ts';

const CONFIGURATION = "change the agent's own configuration";
const AGENT = 'start another agent';
const TYPES = 'type into another terminal';
const KILL_SELF = 'end the running agent';
/** Options that no other program has. */
const OWN_OPTION = /^--(?:yolo|final|query|query-file)(?:=|$)/;

/** Commands that start Hermes under any name, and commands that end it. */
export const OWN_RULES: readonly CommandRule[] = [
  // The name makes Hermes known to the search for commands in the arguments of unknown programs.
  { rule: CONFIGURATION, commands: /^hermes$/i, when: (command) => calls(command, 'changes') },
  { rule: CONFIGURATION, when: (command) => !/^hermes$/i.test(command.name) && calls(command, 'changes') },
  { rule: CONFIGURATION, when: ({ code }) => code?.modules.some(isOwnModule) === true },
  // Code that is loaded into Hermes runs without its guard.
  {
    rule: CONFIGURATION,
    when: ({ starts, variables, suspected }) =>
      starts !== undefined && !suspected && variables.some((one) => LOADS_CODE.test(one)),
  },
  { rule: CONFIGURATION, commands: 'cp rsync ln tar scp zip'.split(' '), byArguments: true, when: copiesProgram },
  { rule: CONFIGURATION, commands: 'npm pnpm yarn bun volta asdf mise brew'.split(' '), when: replacesInstallation },
  {
    rule: CONFIGURATION,
    commands: 'pip pip3 pipx uv npm pnpm yarn bun brew apt apt-get dpkg dnf'.split(' '),
    byArguments: true,
    when: installsOtherVersion,
  },
  { rule: TYPES, when: typesElsewhere },
  { rule: TYPES, when: writesToTerminal },
  { rule: AGENT, when: (command) => calls(command, 'agent') },
  { rule: AGENT, commands: 'curl wget http https xh xhs'.split(' '), byArguments: true, when: asksOwnServer },
  {
    rule: KILL_SELF,
    commands: 'kill tgkill Stop-Process taskkill taskkill.exe gdb lldb reptyr'.split(' '),
    when: killsOwnProcess,
  },
];

/** A package manager that changes the installed program. The package as a dependency of a project is another copy. */
function replacesInstallation({ name, args, suspected }: ShellCommand): boolean {
  if (suspected || !args.some((arg) => /(?:^|[/:@])hermes-agent-ts(?:@|$)/.test(arg))) return false;
  const words = args.filter((arg) => !arg.startsWith('-'));
  // `npm explore PACKAGE -- COMMAND` runs a command in its folder.
  if (words[0] === 'explore') return words.length > 2;
  const everywhere = /^(?:volta|asdf|mise|brew)$/.test(name) || words[0] === 'global';
  return (
    (everywhere || args.some((arg) => /^(?:-g|--global|--location=global)$/.test(arg))) &&
    words.some((word) => CHANGES_PACKAGE.test(word))
  );
}

const CHANGES_PACKAGE =
  /^(?:i|install|add|update|up|upgrade|reinstall|ci|link|ln|unlink|un|uninstall|remove|rm|r|rebuild|pin)$/;

/** An archive or a folder with the name of the program, or the package of the original program. */
const OTHER_VERSION =
  /^(?:(?:file:|git\+)?\S*\/)?hermes[-_]agent(?:[-_]ts)?(?:[-_@=~<>[.]\S*)?$|^(?:file:)?\S*\/hermes(?:\.git|\.rb)?\/?$|(?:^|\/)hermes[-_.]\S*\.(?:whl|tgz|tar\.gz|deb|rpm|zip)$/i;

/** A package manager that installs another version of Hermes, which may judge commands differently or not at all. */
function installsOtherVersion({ name, args, suspected }: ShellCommand): boolean {
  if (suspected) return false;
  const [verb = '', ...rest] = args.filter((arg) => !arg.startsWith('-'));
  const words = name === 'uv' ? rest : [verb, ...rest];
  if (!words.some((word) => OTHER_VERSION.test(word)) || /^(?:show|info|view|search|list)$/.test(words[0] ?? ''))
    return false;
  // As a dependency of a project, the package is another copy.
  const inProject = /^(?:npm|pnpm|yarn|bun)$/.test(name);
  return (
    (!inProject ||
      (/^(?:link|ln)$/.test(verb) && words.some((word) => word.includes('/'))) ||
      args.some((arg) => /^(?:-g|--global|--location=global)$/.test(arg))) &&
    (args.some((arg) => /^-(?:i|U)$/.test(arg)) || words.some((word) => CHANGES_PACKAGE.test(word)))
  );
}

/** Variables with which Node or the loader of the system loads other code into a program. */
const LOADS_CODE = /^(?:NODE_OPTIONS|NODE_PATH|NODE_REPL_EXTERNAL_MODULE|LD_(?:PRELOAD|LIBRARY_PATH|AUDIT)|DYLD_\w+)=./;

/** A copy of the installed program, which the same line could change or start under another name. */
function copiesProgram({ args, suspected, name }: ShellCommand): boolean {
  const sources = name === 'cp' || name === 'rsync' ? args.slice(0, -1) : args;
  return (
    !suspected &&
    sources.some(
      (arg) =>
        /\/hermes-agent-ts(?:\/(?:dist|bin|package\.json)?)?$/.test(arg) && /node_modules|npm root|lib\//.test(arg),
    )
  );
}

/** Programs that type keys into whatever window is in front. */
const KEYBOARDS: Readonly<Record<string, RegExp>> = {
  xdotool: /\b(?:type|key|keydown)\b/,
  ydotool: /\b(?:type|key)\b/,
  wtype: /\S/,
  dotool: /^/,
  dotoolc: /^/,
  cliclick: /\b(?:t|kp|kd):/,
  osascript: /\b(?:keystroke|key code)\b/,
  ttyecho: /\S/,
  writevt: /\S/,
  kitty: /\bsend-(?:text|key)\b/,
  kitten: /\bsend-(?:text|key)\b/,
  wezterm: /\bsend-text\b/,
  zellij: /\bwrite(?:-chars)?\b/,
};
/** What a user answers to a question, or types to control the agent. */
const ANSWER = /^(?:[osad]|\/[a-z][\w-]*(?:\s.*)?)$/is;
/** A pane by its number, a place relative to the current one, or a session of Hermes: not one that a task has named. */
const ANY_PANE = /^(?:%?\d+|[@:.+!{-].*|\d*:.*|.*[$`].*|.*hermes.*)$/i;

/** Keys typed into a terminal in which the user may be answering the questions of the agent. */
function typesElsewhere({ name, args, suspected, input }: ShellCommand): boolean {
  if (suspected) return false;
  const text = `${args.join(' ')} ${input ?? ''}`;
  if (Object.hasOwn(KEYBOARDS, name)) return KEYBOARDS[name]?.test(text) === true;
  const isTmux = name === 'tmux' && args.some((arg) => /^send(?:-keys|-key|-prefix)?$/.test(arg));
  if (!isTmux && !(name === 'screen' && args.includes('stuff'))) return false;
  const [target] = optionValues(args, isTmux ? /^-t(.*)$/ : /^-S(.*)$/);
  const typed = args.map((arg) => arg.replace(/(?:\\[nr]|\^M|[\n\r])+$/, '').trim());
  return target === undefined || ANY_PANE.test(target) || typed.some((one) => one !== target && ANSWER.test(one));
}

/** What is written to another terminal could imitate a question or an answer of Hermes there. */
function writesToTerminal({ redirects, args, name, remote, suspected }: ShellCommand): boolean {
  if (remote !== undefined || suspected) return false;
  const targets = [
    ...redirects.filter(({ operator }) => operator.includes('>')).map(({ target }) => target),
    ...(/^(?:tee|dd|cp|sponge)$/.test(name) ? args.map((arg) => arg.replace(/^of=/, '')) : []),
  ];
  return targets.some(
    (target) => /^\/dev\/pts\/|\/proc\/.*\/fd\/[012]\b/.test(target) && !/\/(?:self|1|\$\$)\/fd\//.test(target),
  );
}

/** A request to the API server of Hermes on this machine that starts or controls an agent. */
function asksOwnServer({ args, suspected }: ShellCommand): boolean {
  if (suspected) return false;
  const isOwn = args.some(
    (arg) =>
      /^(?:https?:\/\/)?(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)?:8642(?:\/|$)/.test(arg) ||
      /\/v1\/runs\/[^/\s]+\/(?:approval|approve|answer|steer|stop)\b/.test(arg),
  );
  return (
    isOwn &&
    args.some((arg) => /^(?:POST|PUT|PATCH|DELETE|-X.*|-\w*d|--(?:data\S*|json|request|post-\S+)|\w+:?=.*)$/.test(arg))
  );
}

function calls(command: ShellCommand, kind: OwnCall): boolean {
  const { starts, suspected, statement, input } = command;
  if (starts === undefined) return false;
  // Among the arguments of an unknown program, `hermes` is mostly the name of a project, a branch or a host.
  if (suspected && !namesOwnCommand(starts) && !starts.some((arg) => OWN_OPTION.test(arg))) return false;
  const takesMore = input === undefined && /(?:^|\s)(?:xargs|parallel)\s/.test(statement);
  return classifyOwnCall(starts, takesMore) === kind;
}

/** Whether a signal goes to this process or its parent, which is also the parent of the shell that runs the command. */
function killsOwnProcess({ args, fedBy, redirects }: ShellCommand, { program, hermesHomes }: MachineFacts): boolean {
  if (args.some((arg) => /^(?:-0|-l|-L|--list|--table)$/.test(arg))) return false;
  const text = args.join(' ');
  // The file with the pid of a gateway.
  const inHome = (path: string) => ANY_HERMES_HOME.test(path) || hermesHomes.some((home) => isWithin(path, home));
  if (redirects.some(({ target }) => inHome(target)) || fedBy.some((source) => source.args.some(inHome))) return true;
  if (
    fedBy.some(({ args: given }) => given.some((arg) => /^\/proc\/(?:self|\$\$|thread-self)\/stat(?:us)?$/.test(arg)))
  )
    return true;
  if (/\bPPID\b|\bppid\b|\bPPid\b/.test(text) || fedBy.some(({ args: given }) => /\bppid\b/i.test(given.join(' '))))
    return true;
  if (isOwnName(text.split('/').at(-1) ?? '') || /\bhermes\b/i.test(text)) return true;
  return args.some((arg, index) => isPid(arg, index) && program?.pids.includes(Math.abs(Number(arg))));
}

/** `-9` as the first argument is a signal; later, a negative number is a process group. */
function isPid(arg: string, index: number): boolean {
  return index === 0 ? /^\d+$/.test(arg) : /^-?\d+$/.test(arg);
}
