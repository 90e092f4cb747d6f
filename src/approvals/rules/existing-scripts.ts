import { dirname, resolve, sep } from 'node:path';
import { OWN_RULE, protectionOf, temporaryFolders } from '../files/file-guard.ts';
import { isRootOrHome, targetPath } from '../files/command-paths.ts';
import { isSecret } from '../files/guarded-paths.ts';
import type { MachineFacts } from '../files/machine-facts.ts';
import { resolveWord } from '../files/resolve-path.ts';
import type { ShellCommand } from '../shell/shell-command.ts';
import { isComputed } from '../shell/words.ts';
import type { CommandRule } from './rule.ts';

/**
 * Whether a rule applies to a command in a file. Text that was written in this session is judged like a command line.
 * The scripts that the user had before may do what scripts usually do, as long as it stays inside the project.
 */
export function appliesInScript(rule: CommandRule, command: ShellCommand, facts: MachineFacts): boolean {
  const { script } = command;
  if (script === undefined || script.isNew(command.source)) return true;
  switch (rule.rule) {
    case 'recursive delete':
    case 'delete many files':
    case 'open permissions to everyone':
      return reachesOutside(command, script.path, facts);
    case 'inline code that changes protected files':
      return touchesSecrets(command, facts);
    case 'inline code that deletes or runs programs':
    case 'a command whose name is computed':
    case 'kill many processes':
    case 'delete something with an unknown program':
    // Scripts of the user deploy the project to the machines of the user, and report to them.
    case 'send files to another machine':
    case 'send a message to other people':
    case 'change files outside the project':
      return false;
    // The containers of the project are everyday work, the data of everything else on the machine is not.
    case 'remove containers or their data':
      return /\bvolume (?:prune|rm)\b|\bsystem (?:prune\b.*--volumes|reset)\b/.test(command.args.join(' '));
    // In a whole program, the environment and the network are rarely related.
    case 'send secrets to another machine':
    case 'run downloaded code':
      return command.code === undefined;
    default:
      return true;
  }
}

/** Whether a command names a path outside the project and the temporary folders, or the project as a whole. */
function reachesOutside(command: ShellCommand, script: string, facts: MachineFacts): boolean {
  const isProject = (folder: string) => !isRootOrHome(folder, facts);
  const projects = [facts.workingDirectory, dirname(script), command.directory].filter(isProject);
  const free = [...projects, ...temporaryFolders()];
  const paths = command.args.filter((arg) => !arg.startsWith('-') && !/^(?:;|\+|\{\}|\d+|\+x)$/.test(arg));
  return paths.some((arg) => {
    if (isComputed(arg)) return /^(?:\/(?!tmp\/)|~)/.test(arg);
    const path = targetPath(arg, command) ?? resolve(command.directory, arg);
    if (/\/\.git(?:\/|$)/.test(path)) return true;
    if (projects.includes(path)) return !searchesFor(command);
    return !free.some((folder) => path.startsWith(folder.endsWith(sep) ? folder : folder + sep));
  });
}

/** `find . -name '*.pyc' -delete` names the folder that it searches, not what it deletes. */
function searchesFor({ name, args }: ShellCommand): boolean {
  return (
    /^(?:find|fd|fdfind)$/.test(name) &&
    args.some((arg) => /^-(?:i?name|i?path|i?regex|type|size|[acm]?time|[acm]?min|empty)$/.test(arg))
  );
}

/** In a whole program, a path and a write are rarely related, so only secrets and our own files count. */
function touchesSecrets({ code, directory }: ShellCommand, facts: MachineFacts): boolean {
  const paths = (code?.paths ?? [])
    .filter((path) => /^(?:~?\/|\$HERMES_HOME\/)/.test(path))
    .flatMap((path) => resolveWord(path, directory, facts));
  return paths.some(
    (found) => isSecret(found, facts) || (code?.writes === true && protectionOf(found.path, facts) === OWN_RULE),
  );
}
