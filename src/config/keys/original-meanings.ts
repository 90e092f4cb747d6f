import type { Meanings } from './model-meanings.ts';

/** Keys that few homes besides those of the original have. */
export const ORIGINAL_MEANINGS: Meanings = {
  platform_toolsets: 'Tool sets by surface or messaging platform',
  'platform_toolsets.NAME':
    'The only tool sets to use on a surface or messaging platform, such as `cli`, `cron` or `telegram`, instead of `toolsets`. The tools of MCP servers are included unless one of them or `no_mcp` is listed',
  prefill_messages_file: {
    about:
      'A JSON file with messages (`role` and `content`) that are sent before every conversation and are not stored. A relative path starts at the home directory',
    variable: 'HERMES_PREFILL_MESSAGES_FILE',
  },
  'agent.system_prompt': {
    about: 'Text that is sent after the system prompt with every request and is not stored. Subagents do not get it',
    variable: 'HERMES_EPHEMERAL_SYSTEM_PROMPT',
  },
  'security.website_blocklist.enabled':
    'Whether web tools and the browser refuse to open the listed websites. Default: `false`',
  'security.website_blocklist.domains': 'Domains, each with its subdomains',
  'security.website_blocklist.shared_files':
    'Files with one domain per line. A relative path starts at the home directory',
  'terminal.timeout': {
    about: 'Seconds after which a command is killed, unless the model sets a timeout. At most 600. Default: 180',
    variable: 'TERMINAL_TIMEOUT',
  },
};
