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
const HELP = /^(?:help|--help|-[a-z]*h[a-z]*)$/i;

/** Whether these words may be about more than a chat. Most are not, and need not know what other commands there are. */
export function mayNameCommand(argv: readonly string[]): boolean {
  return argv.some((word) => COMMAND_NAMES.includes(word) || HIDDEN_NAMES.includes(word) || HELP.test(word));
}
