import { classifyOwnCall, namesOwnCommand, type OwnCall } from '../own-program/only-reads.ts';
import { isOwnModule, isOwnName } from '../own-program/own-program.ts';
import type { MachineFacts } from '../files/machine-facts.ts';
import type { ShellCommand } from '../shell/shell-command.ts';
import type { CommandRule } from './rule.ts';

const CONFIGURATION = "change the agent's own configuration";
const AGENT = 'start another agent';
const KILL_SELF = 'end the running agent';
/** Options that no other program has. */
const OWN_OPTION = /^--(?:yolo|final|query|query-file)(?:=|$)/;

/** Commands that start Hermes under any name, and commands that end it. */
export const OWN_RULES: readonly CommandRule[] = [
  // The name makes Hermes known to the search for commands in the arguments of unknown programs.
  { rule: CONFIGURATION, commands: /^hermes$/i, when: (command) => calls(command, 'changes') },
  { rule: CONFIGURATION, when: (command) => !/^hermes$/i.test(command.name) && calls(command, 'changes') },
  { rule: CONFIGURATION, when: ({ code }) => code?.modules.some(isOwnModule) === true },
  { rule: AGENT, when: (command) => calls(command, 'agent') },
  {
    rule: KILL_SELF,
    commands: 'kill tgkill Stop-Process taskkill taskkill.exe gdb lldb reptyr'.split(' '),
    when: killsOwnProcess,
  },
];

function calls(command: ShellCommand, kind: OwnCall): boolean {
  const { starts, suspected, statement, input } = command;
  if (starts === undefined) return false;
  // Among the arguments of an unknown program, `hermes` is mostly the name of a project, a branch or a host.
  if (suspected && !namesOwnCommand(starts) && !starts.some((arg) => OWN_OPTION.test(arg))) return false;
  const takesMore = input === undefined && /(?:^|\s)(?:xargs|parallel)\s/.test(statement);
  return classifyOwnCall(starts, takesMore) === kind;
}

/** Whether a signal goes to this process or its parent, which is also the parent of the shell that runs the command. */
function killsOwnProcess({ args, fedBy }: ShellCommand, { program }: MachineFacts): boolean {
  if (args.some((arg) => /^(?:-0|-l|-L|--list|--table)$/.test(arg))) return false;
  const text = args.join(' ');
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
