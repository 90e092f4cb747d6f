import { type Command, forEachChild, parse, type SyntaxNode } from 'unbash';

/** A fenced block of shell commands in a document. */
export type ShellBlock = {
  /** The line of its opening fence, counted from 1. */
  line: number;
  /** Marked `sh example`: its commands are parsed but not run. */
  isExample: boolean;
  /** Its command lines; a line that ends with a backslash is joined with the next one. */
  lines: readonly string[];
};

const FENCE = /^```([^\n]*)\n(.*?)^```$/gms;
const SHELL = /^(?:sh|bash|shell|console|zsh)\b/;

/** Commands that install something or use the network: no test runs them. */
const NOT_FOR_TESTS = /\b(?:npm|npx|apt|apt-get|curl|docker|podman)\b/;

/** The blocks of shell commands in a document. Throws if a block is marked with neither `sh` nor `sh example`. */
export function readShellBlocks(text: string): ShellBlock[] {
  return [...text.matchAll(FENCE)].flatMap(({ index, 1: language = '', 2: body = '' }) => {
    if (!SHELL.test(language)) return [];
    const line = text.slice(0, index).split('\n').length;
    const isExample = language === 'sh example';
    if (language !== 'sh' && !isExample) throw new Error(`Line ${line}: use \`sh\` or \`sh example\`.`);
    if (!isExample && NOT_FOR_TESTS.test(body)) throw new Error(`Line ${line}: use \`sh example\` for installations.`);
    const lines = body.replaceAll('\\\n', '').split('\n');
    return { line, isExample, lines: lines.filter((each) => !/^\s*(?:#|$)/.test(each)) };
  });
}

/** A call of `hermes` in a command line. */
export type HermesCall = {
  words: readonly string[];
  /** Whether the command line consists only of this call: no pipe, redirection, variable or second command. */
  isWholeLine: boolean;
};

/** All calls of `hermes` in a command line, wherever they are: behind a pipe, after `&&`, in a substitution. */
export function findHermesCalls(commandLine: string): HermesCall[] {
  const script = parse(commandLine);
  const found: Command[] = [];
  const visit = (node: SyntaxNode) => {
    if (node.type === 'Command' && node.name?.value === 'hermes') found.push(node);
    forEachChild(node, visit);
  };
  visit(script);
  return found.map((command) => ({
    words: command.args.map((word) => (word.type === 'Word' ? word.value : commandLine.slice(word.pos, word.end))),
    isWholeLine:
      commandLine.slice(0, command.pos).trim() === '' &&
      /^\s*(?:#.*)?$/.test(commandLine.slice(command.end)) &&
      command.redirects.length === 0 &&
      !/[$`*~]/.test(commandLine.slice(command.pos, command.end)),
  }));
}
