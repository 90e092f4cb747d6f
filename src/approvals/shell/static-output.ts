import { isOwnName } from '../own-program/own-program.ts';
import { executableName } from './shell-command.ts';
import { unwrap } from './unwrap.ts';

/** The output of a program for these arguments and this input, if it can be determined without running it. */
export function staticOutput(name: string, args: readonly string[], input: string | undefined): string | undefined {
  switch (name) {
    case 'echo':
      return echoText(args);
    case 'eval':
      return /^echo ([^;&|<>`$()]*)$/.exec(args.join(' '))?.[1];
    case 'printf':
      return printfText(args.filter((arg, index) => index > 0 || arg !== '--'));
    case 'which':
    case 'whereis':
      return programPath(args.at(-1));
    case 'command':
    case 'type':
      return /^-[a-zA-Z]*[vVpP]/.test(args[0] ?? '') ? programPath(args.at(-1)) : undefined;
    case 'npm':
      return /^(?:root (?:-g|--global)|(?:-g|--global) root)$/.test(args.join(' ')) ? GLOBAL_MODULES : undefined;
    case 'basename':
      return args[0]?.split('/').findLast((part) => part !== '');
    case 'dirname':
      return args[0]?.replace(/\/+[^/]*\/*$/, '') || undefined;
    case 'git':
      return args.join(' ') === 'rev-parse --git-dir' ? '.git' : undefined;
    // The links on the disk are followed when the path is used.
    case 'realpath':
    case 'readlink':
      return args.findLast((arg) => !arg.startsWith('-') && !/[$`*?]/.test(arg));
    default:
      return input === undefined ? undefined : filtered(name, args, input);
  }
}

/** Where npm installs programs for all projects; the folder before it depends on the machine. */
const GLOBAL_MODULES = '/usr/local/lib/node_modules';

/** A path that the rules recognise as Hermes, wherever it is installed. Of other programs, only the name matters. */
function programPath(name: string | undefined): string | undefined {
  return name !== undefined && !name.includes('/') && isOwnName(name)
    ? `${GLOBAL_MODULES}/hermes-agent-ts/bin/${name}`
    : name;
}

/** Looks through wrappers: `sudo tee` prints what `tee` prints. */
export function printedByWords(words: readonly string[], input: string | undefined): string | undefined {
  const [name = '', ...args] = words;
  const printed = staticOutput(executableName(name), args, input);
  if (printed !== undefined) return printed;
  const [inner] = unwrap(words, input);
  return inner !== undefined && 'words' in inner && inner.words.length < words.length
    ? printedByWords(inner.words, input)
    : undefined;
}

/** Programs that transform their input in a way that can be reproduced here. */
function filtered(name: string, args: readonly string[], input: string): string | undefined {
  const decodes = args.some((arg) => /^-[a-zA-Z]*[dD]/.test(arg) || arg === '--decode');
  switch (name) {
    case 'cat':
    case 'tee':
    case 'sponge':
    case 'sort':
      return args.some((arg) => !arg.startsWith('-') && name === 'cat') ? undefined : input;
    case 'rev':
      return input
        .split('\n')
        .map((line) => [...line].reverse().join(''))
        .join('\n');
    case 'base64':
      return decodes ? Buffer.from(input, 'base64').toString('utf8') : undefined;
    case 'openssl':
      return decodes && args.some((arg) => /base64|enc/.test(arg))
        ? Buffer.from(input, 'base64').toString('utf8')
        : undefined;
    case 'xxd':
      return args.some((arg) => /^-[a-z]*r/.test(arg))
        ? Buffer.from(input.replace(/\s+/g, ''), 'hex').toString('utf8')
        : undefined;
    case 'tr':
      return translate(args, input);
    // `… | xargs dirname`; other options than those of plain calls change what it does.
    case 'xargs':
      return args[0] === undefined || args[0].startsWith('-') || args[0] === 'xargs'
        ? undefined
        : staticOutput(executableName(args[0]), [...args.slice(1), ...input.trim().split(/\s+/)], undefined);
    default:
      return undefined;
  }
}

function translate(args: readonly string[], input: string): string | undefined {
  const [first = '', second = ''] = args.filter((arg) => !/^-[a-zA-Z]+$/.test(arg)).map(spellSet);
  if (args.some((arg) => /^-[a-zA-Z]*d/.test(arg)))
    return [...input].filter((letter) => !first.includes(letter)).join('');
  if (args.some((arg) => /^-[a-zA-Z]*[cCs]/.test(arg)) || second === '') return undefined;
  return [...input].map((letter) => second[Math.min(first.indexOf(letter), second.length - 1)] ?? letter).join('');
}

/** Expands ranges such as `a-z` and character classes. */
function spellSet(set: string): string {
  return unescapeText(set)
    .replaceAll('[:upper:]', 'A-Z')
    .replaceAll('[:lower:]', 'a-z')
    .replace(/(.)-(.)/gs, (_, from: string, to: string) => {
      const [first, last] = [from.charCodeAt(0), to.charCodeAt(0)];
      return String.fromCharCode(
        ...Array.from({ length: Math.max(0, Math.min(last - first + 1, 256)) }, (__, index) => first + index),
      );
    });
}

function echoText(args: readonly string[]): string {
  const start = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
  const text = start < 0 ? '' : args.slice(start).join(' ');
  return args.slice(0, Math.max(start, 0)).some((arg) => arg.includes('e')) ? unescapeText(text) : text;
}

/** Each `%…` consumes one argument; the format is reused while arguments remain. */
function printfText([format = '', ...values]: readonly string[]): string {
  const left = [...values];
  let text = '';
  do {
    const before = left.length;
    text += unescapeText(format).replace(/%(?:%|[-+ #0-9.]*[a-zA-Z])/g, (place) => {
      if (place === '%%') return '%';
      const value = left.shift() ?? '';
      return place.endsWith('b') ? unescapeText(value) : value;
    });
    if (left.length === before) break;
  } while (left.length > 0);
  return text;
}

const LETTERS: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

/** Resolves backslash escapes; unknown ones are left unchanged. */
function unescapeText(text: string): string {
  return text.replace(
    /\\(?:x([\da-fA-F]{1,2})|[uU]([\da-fA-F]{1,6})|(0?[0-7]{1,3})|(.))/gs,
    (whole, hex: string | undefined, unicode: string | undefined, octal: string | undefined, letter = '') => {
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      const code = Number.parseInt(hex ?? unicode ?? '', 16);
      if (Number.isNaN(code)) return LETTERS[letter] ?? whole;
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
