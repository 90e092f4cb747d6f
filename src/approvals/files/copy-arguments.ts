import { optionValues, type ShellCommand } from '../shell/shell-command.ts';
import { operandsWithout } from './path-argument.ts';

/** Copy programs that accept the target folder with `-t`. */
const FOLDER_OPTION = new Set(['cp', 'mv', 'install', 'ln']);
const FOLDER = /^(?:-[a-zA-Z]*?t|--t[a-z-]*=?)(.*)$/;
/** Options of copy programs that take a value. */
const COPY_VALUES: Readonly<Record<string, RegExp>> = {
  install: /^(?:-[mogS]|--(?:mode|owner|group|suffix))$/,
  rsync:
    /^(?:-[ef]|--(?:rsh|exclude|include|exclude-from|include-from|files-from|filter|chmod|chown|password-file|port))$/,
  scp: /^-[ciFJlopPS]$/,
  sftp: /^-[bciFJlopPS]$/,
};
const SUFFIX = /^(?:-S|--suffix)$/;

export type Copy = { sources: string[]; target: string | undefined };

/** Splits the arguments of a copy or move into sources and target. */
export function splitCopy({ name, args }: Pick<ShellCommand, 'name' | 'args'>): Copy {
  const operands = operandsWithout(args, COPY_VALUES[name] ?? SUFFIX);
  const at = FOLDER_OPTION.has(name) ? args.findIndex((arg) => FOLDER.test(arg)) : -1;
  if (at < 0) return { sources: operands.slice(0, -1), target: operands.at(-1) };
  const attached = FOLDER.exec(args[at] ?? '')?.[1] ?? '';
  const target = attached === '' ? args[at + 1] : attached;
  return { sources: operands.filter((operand) => operand !== target), target };
}

/** The files that a request uploads, and those that hold its body. */
export type Uploads = { files: string[]; bodies: string[] };

/** What `curl`, `wget`, `http` and their relatives send; `-` is the standard input. */
export function uploadsOf({ name, args }: Pick<ShellCommand, 'name' | 'args'>): Uploads {
  if (name === 'wget' || name === 'wget2')
    return { files: [], bodies: optionValues(args, /^--(?:post-file|body-file)=?(.*)$/) };
  if (name !== 'curl')
    return { files: [], bodies: args.flatMap((arg) => /^[\w.-]*=?@(?!.*@)([^@:]+)$/.exec(arg)?.[1] ?? []) };
  const parts = optionValues(args, /^(?:-[a-zA-Z]*F|--form=?)(.*)$/);
  const bodies = optionValues(args, /^(?:-[a-zA-Z]*d|--data(?:-binary|-raw|-urlencode|-ascii)?=?|--json=?)(.*)$/);
  return {
    files: [
      ...optionValues(args, /^(?:-[a-zA-Z]*T|--upload-file=?)(.*)$/),
      ...parts.flatMap((part) => /^[^=]*=[@<]"?([^;"]+)/.exec(part)?.[1] ?? []),
    ],
    bodies: bodies.flatMap((body) => /^[\w.-]*=?@(.+)$/.exec(body)?.[1] ?? []),
  };
}
