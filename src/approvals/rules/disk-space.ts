import type { ShellCommand } from '../shell/shell-command.ts';
import { type CommandRule, isHelpOrDryRun } from './rule.ts';

/** Files of this size and more are rarely what a task needs. */
const LARGE_GIGABYTES = 50;
const UNITS: Readonly<Record<string, number>> = { '': 1 / 1e9, k: 1e-6, m: 1e-3, g: 1, t: 1e3, p: 1e6, e: 1e9 };
const ENDLESS_DEVICE = /^(?:if=)?\/dev\/(?:zero|u?random|full)$/;

/** `500G`, `2TiB`, `100000000000`. */
function gigabytes(text: string): number {
  const found = /^[+]?(\d+(?:\.\d+)?)\s*([kmgtpe]?)(?:i?b)?$/i.exec(text);
  return found === null ? 0 : Number(found[1]) * (UNITS[(found[2] ?? '').toLowerCase()] ?? 0);
}

/** The value of an option in the same word or the next. */
const valuesOf = (args: readonly string[], option: RegExp) =>
  args.flatMap((arg, index) => {
    const attached = option.exec(arg)?.[1];
    return attached === undefined ? [] : [attached === '' ? (args[index + 1] ?? '') : attached];
  });

/** Whether a command writes without end, or a very large file. */
function fillsDisk(command: ShellCommand): boolean {
  const { name, args, redirects, suspected } = command;
  if (suspected || isHelpOrDryRun(command)) return false;
  const isLarge = (text: string) => gigabytes(text) >= LARGE_GIGABYTES;
  const toFile = redirects.some(({ operator, target }) => />/.test(operator) && /^(?!\/dev\/|&?\d+$)/.test(target));
  const reads = [...args, ...redirects.filter(({ operator }) => operator === '<').map(({ target }) => target)];
  switch (name) {
    case 'yes':
      return toFile;
    case 'cat':
    case 'pv':
    case 'base64':
    case 'tr':
    case 'openssl':
      return toFile && reads.some((arg) => ENDLESS_DEVICE.test(arg));
    case 'cp':
      return ENDLESS_DEVICE.test(args.find((arg) => !arg.startsWith('-')) ?? '');
    case 'head':
      return toFile && valuesOf(args, /^(?:-c|--bytes=?)(.*)$/).some(isLarge);
    case 'fallocate':
      return valuesOf(args, /^(?:-l|--length=?)(.*)$/).some(isLarge);
    case 'truncate':
      return valuesOf(args, /^(?:-s|--size=?)(.*)$/).some(isLarge);
    case 'mkfile':
      return args.some(isLarge);
    case 'dd':
      return copiesTooMuch(args);
    default:
      return false;
  }
}

function copiesTooMuch(args: readonly string[]): boolean {
  const valueOf = (key: string) => args.find((arg) => arg.startsWith(`${key}=`))?.slice(key.length + 1);
  const [target, count] = [valueOf('of'), valueOf('count')];
  if (!args.some((arg) => ENDLESS_DEVICE.test(arg)) || target === undefined || target.startsWith('/dev/')) return false;
  return count === undefined || gigabytes(valueOf('bs') ?? '512') * Number.parseInt(count, 10) >= LARGE_GIGABYTES;
}

/** Commands that leave no space on the disk, so that other programs lose data. */
export const DISK_SPACE_RULES: readonly CommandRule[] = [
  {
    rule: 'fill the disk',
    commands: 'yes cat pv base64 tr openssl cp head fallocate truncate mkfile dd'.split(' '),
    everydayName: true,
    byArguments: true,
    when: fillsDisk,
  },
];
