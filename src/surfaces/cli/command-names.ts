/** What people can call by name; the first word of a prompt that comes near one of them is asked about. */
export const COMMAND_NAMES = [
  'chat',
  'sessions',
  'insights',
  'replay',
  'trajectories',
  'batch',
  'setup',
  'model',
  'auth',
  'fallback',
  'tools',
  'skills',
  'mcp',
  'memory',
  'plugins',
  'hooks',
  'approvals',
  'checkpoints',
  'status',
  'doctor',
  'logs',
  'prompt-size',
  'dump',
  'config',
  'profile',
  'backup',
  'import',
  'completion',
  'update',
];

/** What scripts of ours call, and no help shows. */
const HIDDEN_NAMES = ['__complete'];
// Short options may stand together: -Qh.
const HELP = /^(?:help|--help|-[a-z]*h[a-z]*)$/i;
/** The parser takes it for a word of the prompt where there are no other commands, and for a mistake where there are. */
const NEGATIVE_NUMBER = /^-[\d.]/;
const PATTERNS = [HELP, NEGATIVE_NUMBER];

/** Whether these words may be about more than a chat. Most are not, and need not know what other commands there are. */
export function mayNameCommand(argv: readonly string[]): boolean {
  const names = [...COMMAND_NAMES, ...HIDDEN_NAMES];
  return argv.some((word) => names.includes(word) || PATTERNS.some((pattern) => pattern.test(word)));
}
