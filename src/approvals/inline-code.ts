import type { ShellCommand } from './shell-command.ts';

const INTERPRETER = /^(?:python[\d.]*|pypy\d?|perl|ruby|node|nodejs|deno|bun|php|lua)$/;
const AWK = /^[gmn]?awk$/;
/** What in a program's text deletes trees or starts other programs. */
const DANGEROUS_CODE =
  /rmtree|os\.(?:remove|unlink|rmdir|system|popen|kill)|shutil\.move|rm(?:dir)?Sync|unlink(?:Sync)?\b|rm_rf|subprocess|child_process|execSync|spawnSync|File\.delete|FileUtils|\bfork\b|\bsystem\s*\(|\bexec\s*\(|`[^`]*\brm\b/;
/** awk starts programs in three ways: a function, a pipe into one, and one that lines are taken from. */
const DANGEROUS_AWK = /\bsystem\s*\(|\|&?\s*"|"\s*\|&?\s*getline/;

/** Programs that take other programs as text. */
export const CODE_RUNNER = new RegExp(`${INTERPRETER.source}|${AWK.source}`);

export function isInterpreter(name: string): boolean {
  return INTERPRETER.test(name);
}

/** Whether the program text in the arguments (`-c`, `-e`) or on standard input could do harm. */
export function runsDangerousCode({ name, args, input }: ShellCommand): boolean {
  if (AWK.test(name)) return args.some((arg) => DANGEROUS_AWK.test(arg));
  const at = args.findIndex((arg) => /^(?:-[a-zA-Z]*[ceEr]|--eval|--print|-p|-pe)$/.test(arg));
  const code = at < 0 ? '' : args.slice(at + 1).join(' ');
  return DANGEROUS_CODE.test(`${code}\n${input ?? ''}`);
}
