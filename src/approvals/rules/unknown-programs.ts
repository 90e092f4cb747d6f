import { SECRET_RULE } from '../files/secrets.ts';
import { isInterpreter } from '../shell/script-files.ts';
import type { ShellCommand } from '../shell/shell-command.ts';
import { SHELLS } from '../shell/wrappers.ts';
import { isShown } from './environment-rules.ts';
import { type CommandRule, isHelpOrDryRun } from './rule.ts';

const words = (text: string) => text.split(' ');

/** Verbs with which command-line programs delete something permanently. */
const DESTROYS: ReadonlySet<string> = new Set([
  ...words(
    'delete destroy purge terminate drop wipe erase nuke deleteall delete-all remove-all drop-all factory-reset',
  ),
  ...words('rm remove uninstall reset revoke unregister deregister flush expunge forget'),
  ...words('undeploy decommission truncate flush-all flushall force-delete permanent-delete hard-delete obliterate'),
]);
/** `delete-job`, `safe-shutdown`: a verb and its object in one word. */
const WITH_OBJECT =
  /^(?:delete|destroy|remove|drop|purge|wipe|terminate|erase|force-delete)-[a-z][a-z-]*$|^(?:safe|force|immediate)-(?:shutdown|restart|delete)$/;
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

/** Package managers, which can install again what they remove. What they do to the system has rules of its own. */
const PACKAGE_MANAGERS: ReadonlySet<string> = new Set([
  ...words('pip pip3 pipx uv uvx poetry pdm pipenv conda mamba micromamba brew apt apt-get aptitude dnf yum zypper'),
  ...words('pacman yay paru apk gem bundler mix dotnet nimble flutter dart rustup elm nuget opam luarocks cabal stack'),
  ...words('deno bun volta fnm mise code cursor codium pre-commit lefthook husky tldr krew ansible-galaxy vcpkg conan'),
]);
const UNINSTALLS = /^(?:rm|remove|uninstall|reset)$/;

/** `some-cli things delete x`: no table knows the program, but its subcommand says what it does. */
function destroys(command: ShellCommand): boolean {
  const { name, args, suspected, statement, computedName } = command;
  if (suspected || computedName || name === '' || args.length === 0) return false;
  const given = args.slice(0, 6).filter((arg) => !arg.startsWith('-'));
  const at = given.slice(0, 4).findIndex((arg) => DESTROYS.has(arg) || WITH_TOPIC.test(arg) || WITH_OBJECT.test(arg));
  // What follows `run` is another command or the name of a test.
  if (at < 0 || given.slice(0, at).some((arg) => /[^\w:.@/-]|^(?:run|exec|dlx)$/.test(arg))) return false;
  // A file of the project is run by its path; what it does is read there.
  if (ANY_WORD.has(name) || SHELLS.has(name) || /^\.{0,2}\//.test(statement)) return false;
  // `php occ user:delete ann`: the console of an installed application.
  if (isInterpreter(name) && !(at === 1 && WITH_TOPIC.test(given[at] ?? '') && /^[\w./-]+$/.test(given[0] ?? '')))
    return false;
  if (PACKAGE_MANAGERS.has(name) && UNINSTALLS.test(given[at] ?? '')) return false;
  return !isHelpOrDryRun(command);
}

/** What a subcommand may be about, and the verbs with which it shows that. Listing usually shows names only. */
const SECRET_NOUN =
  /^(?:secrets?|passwords?|passwd|passphrases?|credentials?|creds|tokens?|api-?keys?|access-?keys?|private-?keys?|keychain)$/;
const SHOWS =
  /^(?:get|show|read|reveal|print|export|view|cat|dump|fetch|decrypt|download|display|lookup|copy|pull|value|generate-token)$/;
const SHOWS_SECRET =
  /^(?:print|show|get|export|reveal|dump|view)-(?:\w+-)*(?:secrets?|passwords?|credentials?|tokens?|api-keys?)$|^(?:secrets?|tokens?|credentials?|passwords?)[:.](?:get|show|read|reveal|print|export|view|dump|decrypt|pull)$/;
const SHOWING_OPTION =
  /^--(?:reveal|unmask(?:ed)?|no-mask(?:ing)?|with-decryption|(?:show|reveal|print|display|include|expose|dump)-(?:secrets?|passwords?|tokens?|credentials?|keys?|sensitive|plaintext|values))$/;

/** `some-cli secrets get x`, `some-cli auth token`, `some-cli config --show-secrets`. */
function showsSecret(command: ShellCommand): boolean {
  const { name, args, suspected, computedName, statement } = command;
  if (suspected || computedName || args.length === 0 || ANY_WORD.has(name)) return false;
  if (SHELLS.has(name) || isInterpreter(name) || /^\.{0,2}\//.test(statement) || isHelpOrDryRun(command)) return false;
  const given = args
    .slice(0, 8)
    .filter((arg) => !arg.startsWith('-'))
    .slice(0, 4);
  const isShowing = given.some((word, at) => {
    const next = given[at + 1] ?? '';
    return (
      SHOWS_SECRET.test(word) ||
      (SECRET_NOUN.test(word) && SHOWS.test(next)) ||
      (SHOWS.test(word) && SECRET_NOUN.test(next)) ||
      (word === 'auth' && next === 'token')
    );
  });
  return (isShowing || args.some((arg) => SHOWING_OPTION.test(arg))) && isShown(command);
}

/** The rules for programs without rules of their own. */
export const UNKNOWN_PROGRAM_RULES: readonly CommandRule[] = [
  { rule: 'delete something with an unknown program', when: destroys },
  { rule: SECRET_RULE, when: showsSecret },
];

/** Whether the arguments of a program are text, names of tasks, or other commands, which say nothing about it. */
export const takesAnyWord = (name: string) => ANY_WORD.has(name);
