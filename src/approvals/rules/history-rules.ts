import { splitGit } from '../shell/git-commands.ts';
import type { ShellCommand } from '../shell/shell-command.ts';
import type { CommandRule } from './rule.ts';

const HISTORY = 'rewrite git history';
const DISCARD = 'discard work in version control';

/** Variables and settings with the editor of the list of commits that `git rebase -i` applies. */
const EDITOR_VARIABLE = /^(?:GIT_SEQUENCE_EDITOR|GIT_EDITOR|EDITOR|VISUAL)=(.*)$/s;
const EDITOR_SETTING = /^(?:sequence|core)\.editor=(.*)$/is;
/** Editors that change nothing, or in which the user edits the list. */
const PLAIN_EDITOR =
  /^\s*["']?(?::|true|cat|(?:\S*\/)?(?:vim?|nvim|nano|emacs\w*|ed|micro|hx|helix|joe|pico|kak|code|cursor|subl|zed|gedit|kate|mate|idea|notepad\S*)\b[^;|&]*)?["']?\s*$/;

/**
 * `git rebase -i` with an editor that rewrites the list of commits, which drops commits without anyone seeing the
 * list. Rewriting from the root changes every commit.
 */
function rebasesByScript({ args, variables }: ShellCommand): boolean {
  const { command, rest, settings } = splitGit(args);
  if (command !== 'rebase' || rest.some((arg) => /^--(?:continue|abort|skip|quit|edit-todo)$/.test(arg))) return false;
  if (!rest.some((arg) => /^(?:-[a-zA-Z]*i[a-zA-Z]*|--interactive|--root)$/.test(arg))) return false;
  const editors = [
    ...variables.flatMap((variable) => EDITOR_VARIABLE.exec(variable)?.[1] ?? []),
    ...settings.flatMap((setting) => EDITOR_SETTING.exec(setting)?.[1] ?? []),
  ];
  return (
    editors.some((editor) => !PLAIN_EDITOR.test(editor)) ||
    (rest.includes('--root') && (editors.length > 0 || rest.some((arg) => /^(?:-x|--exec)/.test(arg))))
  );
}

/** A list editor that is set for later commands. */
function setsListEditor({ name, args }: ShellCommand): boolean {
  if (name === 'export' || name === 'declare')
    return args.some((arg) => {
      const editor = /^GIT_SEQUENCE_EDITOR=(.*)$/s.exec(arg)?.[1];
      return editor !== undefined && !PLAIN_EDITOR.test(editor);
    });
  if (name !== 'git') return false;
  const { command, rest } = splitGit(args);
  const at = rest.findIndex((arg) => /^(?:sequence|core)\.editor$/i.test(arg));
  const editor = rest[at + 1];
  return command === 'config' && at >= 0 && editor !== undefined && !PLAIN_EDITOR.test(editor);
}

/** Branches that other people work from. */
const SHARED_BRANCH = /^(?:main|master|trunk|dev|develop|development|stable|prod|production|staging|release\S*)$/;

/** `git branch -f main …`, `git checkout -B main …`: the branch no longer contains its commits. */
function movesSharedBranch({ args }: ShellCommand): boolean {
  const { command, rest } = splitGit(args);
  const option = { branch: /^(?:-[a-zA-Z]*f|--force)$/, checkout: /^-B$/, switch: /^(?:-C|--force-create)$/ };
  const moves = Object.hasOwn(option, command) ? option[command as keyof typeof option] : undefined;
  if (moves === undefined || !rest.some((arg) => moves.test(arg))) return false;
  const [branch = '', target] = rest.filter((arg) => !arg.startsWith('-'));
  // Setting a local branch to the same one of a remote is how it is brought up to date.
  return (
    SHARED_BRANCH.test(branch) &&
    target !== undefined &&
    target !== `origin/${branch}` &&
    target !== `upstream/${branch}`
  );
}

/** The destructive subcommands of other version control programs, matched against all arguments. */
const LOSES: Readonly<Record<string, RegExp>> = {
  hg: /(?:^|\s)(?:strip|debugstrip|purge|clean|rollback|histedit|prune|obliterate|qdelete|qdel|qremove|qrm|uncommit --force)(?:\s|$)|(?:^|\s)(?:up|update|co|checkout)\b.*\s(?:-C|--clean)\b|(?:^|\s)revert\b.*\s(?:-a|--all)\b|(?:^|\s)push\b.*\s(?:-f|--force)\b|(?:^|\s)shelve\b.*\s(?:--cleanup|-d|--delete)\b|(?:^|\s)(?:bookmarks?)\b.*\s(?:-d|--delete)\b|--close-branch\b|(?:^|\s)(?:debugobsolete|censor)\b/,
  sl: /^(?:hide|purge|clean|debugstrip|histedit|goto\b.*(?:-C|--clean)|revert\b.*--all|push\b.*--force)\b/,
  svn: /^revert\b.*(?:\s-R\b|--recursive|--depth[= ]infinity)|^cleanup\b.*--remove-(?:unversioned|ignored)|^(?:delete|del|remove|rm)\b.*(?:--force|\w+:\/\/)|^(?:propset|propdel|pset|pdel)\b.*--revprop/,
  svnadmin: /^(?:setrevprop|delrevprop|rmtxns|rmlocks|load\b.*--ignore-uuid)\b/,
  svndumpfilter: /^(?:exclude|include)\b/,
  jj: /^restore\s*$|^(?:abandon|undo\b.*\s\S+|(?:op|operation) (?:restore|abandon|revert|undo)|restore\b.*--(?:from|changes-in)[= ]?(?:root|zzzz)|(?:bookmark|branch|tag) (?:delete|forget)|git push\b.*--(?:deleted|all)|util gc\b.*--expire|workspace forget)\b/,
  fossil: /^(?:purge|scrub|shun|revert\s*$|clean\b.*(?:-f|--force)|reset)\b/,
  bzr: /^(?:uncommit|revert\s*$|clean-tree\b.*--force|push\b.*--overwrite)/,
  brz: /^(?:uncommit|revert\s*$|clean-tree\b.*--force|push\b.*--overwrite)/,
  darcs: /^(?:obliterate|unpull|unrecord|revert\b.*(?:-a|--all)|amend\b.*--unrecord)\b/,
  p4: /^(?:obliterate|revert\b.*(?:\.\.\.|-a)|clean|reconcile -w|delete\b.*\.\.\.|client -d\b|branch -d\b)/,
  cvs: /^(?:admin -o|update\b.*-C|release -d)/,
  'git-lfs': /^prune\b.*(?:--force|-f\b)/,
  etckeeper: /^vcs (?:reset|clean)/,
  gt: /^(?:delete\b.*(?:-f|--force)|submit\b.*--force)/,
};

/** The options in front of the subcommand of Mercurial may take a value. */
const argumentsOf = ({ name, args }: ShellCommand) =>
  (name === 'hg' || name === 'jj'
    ? args.filter(
        (arg, index) => !/^(?:--(?:config|cwd|repository)|-R)$/.test(args[index - 1] ?? '') || arg.startsWith('-'),
      )
    : args
  )
    .join(' ')
    .slice(0, 2000);

function losesHistory(command: ShellCommand): boolean {
  const { name, args } = command;
  if (args.some((arg) => /^(?:--dry-run|--help)$/.test(arg) || (arg === '-n' && name === 'hg'))) return false;
  const text = argumentsOf(command);
  // The message of a commit may contain anything.
  if (/^(?:commit|ci|describe|desc|new|log|help|status|st|diff|annotate|blame)\b/.test(text)) return false;
  return (Object.hasOwn(LOSES, name) ? LOSES[name] : undefined)?.test(text) === true;
}

/** Lost history: rebases by script, moved branches, and version control programs other than git. */
export const HISTORY_RULES: readonly CommandRule[] = [
  { rule: HISTORY, commands: ['git'], when: (command) => rebasesByScript(command) || movesSharedBranch(command) },
  { rule: HISTORY, when: setsListEditor },
  {
    rule: HISTORY,
    commands: ['git'],
    when: ({ args }) =>
      splitGit(args).command === 'lfs' && LOSES['git-lfs']?.test(splitGit(args).rest.join(' ')) === true,
  },
  {
    rule: HISTORY,
    commands: ['java'],
    everydayName: true,
    when: ({ args }) => args.some((arg) => /(?:^|\/)bfg[\w.-]*\.jar$/.test(arg)),
  },
  { rule: DISCARD, everydayName: true, commands: Object.keys(LOSES), when: losesHistory },
];
