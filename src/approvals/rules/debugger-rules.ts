import type { CommandRule } from './rule.ts';

const MEMORY = 'read the memory of another process';

/** Programs that attach to a running process, whose memory holds its keys, and the arguments with which they do. */
const ATTACH: Readonly<Record<string, RegExp>> = {
  gdb: /(?:^|\s)-{1,2}p(?:id)?(?:[= ]?\d|[= ]\S)|(?:^|\s)attach\s+\S|^(?:-\S+ )*\S+ \d{2,}(?:\s|$)|target (?:remote|extended-remote)/,
  lldb: /(?:^|\s)(?:-p|--attach-pid|-n|--attach-name)(?:[= ]|\d)|(?:process )?attach\s/,
  gcore: /./,
  strace: /(?:^|\s)(?:-[a-zA-Z]*p ?[\d$]|--attach[= ])/,
  ltrace: /(?:^|\s)-[a-zA-Z]*p ?[\d$]/,
  dtruss: /(?:^|\s)-[a-zA-Z]*[pn]\b/,
  dtrace: /(?:^|\s)-[a-zA-Z]*p\b|SSL_write|copyinstr/,
  bpftrace: /SSL_|readline|\bbuf\(|str\(arg|uprobe:/,
  trace: /(?:^|\s)-p ?\d/,
  'perf-trace': /(?:^|\s)-p ?\d/,
  perf: /^(?:trace|record|mem|stat)\b.*\s(?:-p|--pid)\b/,
  'py-spy': /^dump\b(?!.*\s-c\b)/,
  pyrasite: /./,
  'pyrasite-shell': /./,
  'pyrasite-dump': /./,
  memray: /^attach\b/,
  rbspy: /^(?:snapshot|record)\b.*(?:-p|--pid)/,
  phpspy: /(?:^|\s)-p\b/,
  jmap: /-dump|(?:^|\s)-F\b/,
  jhsdb: /./,
  jcmd: /GC\.heap_dump|VM\.system_properties|VM\.command_line|Thread\.dump_to_file/,
  jinfo: /^(?:-sysprops )?\d/,
  jattach: /dumpheap|properties/,
  'dotnet-dump': /^collect\b/,
  'dotnet-gcdump': /^collect\b/,
  procdump: /./,
  'procdump.exe': /./,
  frida: /(?:^|\s)(?:-p|-n|-F|--attach-\w+)\b|^[^-]/,
  'frida-trace': /./,
  rr: /(?:^|\s)-p\b/,
  reptyr: /\d/,
  memdump: /./,
  avml: /./,
  fridump: /./,
  fridump3: /./,
  peekfd: /\d/,
  ptrace: /\d/,
  sample: /^\d/,
  vmmap: /./,
  leaks: /./,
  heap: /^\d/,
  criu: /^dump\b/,
  crash: /vmcore|\/dev\/mem/,
  dlv: /^attach\b/,
  gdbserver: /--attach\b/,
  'lldb-server': /--attach\b/,
};

const EVERYDAY = new Set(['sample', 'heap', 'leaks', 'crash', 'trace', 'ptrace', 'frida']);

/** The arguments after `--args` or `--` belong to the program that the debugger starts. */
function attaches(name: string, args: readonly string[]): boolean {
  const end = args.findIndex((arg) => arg === '--args' || arg === '--');
  return ATTACH[name]?.test((end < 0 ? args : args.slice(0, end)).join(' ')) === true;
}

/** Debuggers and tracers that attach to other processes. */
export const DEBUGGER_RULES: readonly CommandRule[] = [
  {
    rule: MEMORY,
    commands: Object.keys(ATTACH).filter((name) => !EVERYDAY.has(name)),
    everydayName: true,
    when: ({ name, args }) => attaches(name, args),
  },
  {
    rule: MEMORY,
    when: ({ name, args, suspected }) => !suspected && EVERYDAY.has(name) && attaches(name, args),
  },
  {
    rule: MEMORY,
    everydayName: true,
    commands: ['node', 'nodejs'],
    when: ({ args }) => args[0] === 'inspect' && args.some((arg) => /^(?:-p|--pid\S*|[\w.-]+:\d+)$/.test(arg)),
  },
  {
    rule: MEMORY,
    when: ({ code }) => code?.memory === true,
  },
];
