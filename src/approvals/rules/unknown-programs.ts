import { isInterpreter } from '../shell/script-files.ts';
import type { ShellCommand } from '../shell/shell-command.ts';
import { SHELLS } from '../shell/wrappers.ts';
import { type CommandRule, isHelpOrDryRun } from './rule.ts';

const words = (text: string) => text.split(' ');

/** Verbs with which command-line programs delete something permanently. */
const DESTROYS: ReadonlySet<string> = new Set([
  ...words(
    'delete destroy purge terminate drop wipe erase nuke deleteall delete-all remove-all drop-all factory-reset',
  ),
  ...words('undeploy decommission truncate flush-all flushall force-delete permanent-delete hard-delete obliterate'),
]);
const WITH_TOPIC = /^[\w-]+[:.](?:delete|destroy|remove|purge|drop|wipe|terminate|reset)$/;
/** Programs whose words are text, names of tasks, or names of tests. */
const ANY_WORD: ReadonlySet<string> = new Set([
  ...words(
    'echo printf print cat grep egrep fgrep zgrep rg ag ack ugrep sed awk gawk jq yq ls find fd test [ [[ export declare',
  ),
  ...words(
    'local set alias type which man help tldr info make gmake just task go-task npx npm pnpm yarn bunx pytest jest',
  ),
  ...words(
    'vitest mocha ava tap go cargo rails rake spring composer bundle tox nox ctest cmake ninja bazel buck gradle',
  ),
  ...words(
    'gradlew mvn mvnw sbt tsc eslint prettier code vim vi nano less head tail wc sort uniq cut tr diff touch mkdir cp',
  ),
  ...words(
    'mv ln case for select read say notify-send logger figlet cowsay git hg svn hermes curl wget http https xh todo',
  ),
  ...words(
    't taskwarrior timew jrnl nb zk comm join paste look open xdg-open basename dirname expr seq complete compgen',
  ),
  ...words(
    'return exit trap unset readonly let eval env sudo command builtin exec time timeout nice xargs parallel watch',
  ),
  ...words(
    'ssh scp rsync su doas nohup setsid stdbuf strace script tmux screen dialog whiptail zenity gum fzf hyperfine',
  ),
]);

/** `some-cli things delete x`: no table knows the program, but its subcommand says what it does. */
function destroys(command: ShellCommand): boolean {
  const { name, args, suspected, statement, computedName } = command;
  if (suspected || computedName || name === '' || args.length === 0) return false;
  const given = args.slice(0, 6).filter((arg) => !arg.startsWith('-'));
  const at = given.slice(0, 4).findIndex((arg) => DESTROYS.has(arg) || WITH_TOPIC.test(arg));
  if (at < 0 || given.slice(0, at).some((arg) => /[^\w:.@/-]/.test(arg))) return false;
  // A file of the project is run by its path; what it does is read there.
  if (ANY_WORD.has(name) || SHELLS.has(name) || isInterpreter(name) || /^\.{0,2}\//.test(statement)) return false;
  return !isHelpOrDryRun(command);
}

/** The rule for programs without rules of their own. */
export const UNKNOWN_PROGRAM_RULE: CommandRule = { rule: 'delete something with an unknown program', when: destroys };
