/** Languages, and the options behind which they take a program as text. */
const INTERPRETERS: readonly { names: RegExp; option: RegExp }[] = [
  { names: /^(?:python[\d.]*|pypy\d?|ipython\d?|jython|micropython)$/, option: /^-[a-zA-Z]*c(.*)$/ },
  { names: /^(?:perl|ruby|irb|jruby)[\d.]*$/, option: /^-[a-zA-Z]*?[eE](.*)$/ },
  { names: /^(?:node|nodejs|tsx|ts-node|bun)$/, option: /^(?:-[a-z]*[ep]|--eval=?|--print=?)(.*)$/ },
  { names: /^deno$/, option: /^eval()$/ },
  { names: /^php[\d.]*$/, option: /^(?:-r|--run=?)(.*)$/ },
  {
    names:
      /^(?:lua|luajit|julia|octave(?:-cli)?|R|Rscript|elixir|groovy|scala|racket|ghc|osascript|guile|crystal)[\d.]*$/,
    option: /^(?:-[eE]|-c|--eval=?|--expr=?)(.*)$/,
  },
  { names: /^(?:emacs|emacsclient|sbcl|clisp|ecl)$/, option: /^(?:-eval|--eval=?|-f)(.*)$/ },
  { names: /^erl$/, option: /^-eval()$/ },
  { names: /^(?:pwsh|powershell)(?:\.exe)?$/i, option: /^-(?:c|command|e|ec|enc|encodedcommand)()$/i },
  { names: /^(?:tclsh|wish)[\d.]*$/, option: /^-c(.*)$/ },
];

export function isInterpreter(name: string): boolean {
  return INTERPRETERS.some(({ names }) => names.test(name));
}

/** The program text in the arguments, or on standard input where no file is named. */
export function codeGiven(name: string, args: readonly string[], input: string | undefined): string | undefined {
  const language = INTERPRETERS.find(({ names }) => names.test(name));
  if (language === undefined) return undefined;
  const at = args.findIndex((arg) => language.option.test(arg) && !/^-[MImrxCFl].{4,}/.test(arg));
  if (at >= 0) {
    const attached = language.option.exec(args[at] ?? '')?.[1] ?? '';
    return [attached, ...args.slice(at + 1)].join('\n');
  }
  const file = args.find((arg) => !arg.startsWith('-'));
  return file === undefined || args.includes('-') ? input : undefined;
}
