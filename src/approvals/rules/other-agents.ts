import { AGENT_RULE } from '../files/file-guard.ts';
import { type ProgramRow, tableRule } from './program-table.ts';
import type { CommandRule } from './rule.ts';

/** Options with which other agents work without questions, and subcommands that change what they may do. */
const AGENTS: readonly ProgramRow[] = [
  [
    'claude',
    /--dangerously-skip-permissions|--allow-dangerously-skip|--permission-mode[= ](?:bypass\w*|dontAsk)|^(?:config (?:set|add|remove)|mcp (?:add\S*|remove|import\S*)|plugin (?:install|marketplace|enable)|setup-token)\b/,
  ],
  [
    'codex',
    /--dangerously-\S+|--yolo\b|--full-auto\b|(?:-a|--ask-for-approval)[= ]never|(?:-s|--sandbox)[= ]danger-full-access|^mcp (?:add|remove)\b/,
  ],
  [
    'gemini qwen iflow',
    /(?:^|\s)(?:-y|--yolo)\b|--approval-mode[= ](?:yolo|auto\w*)|^(?:mcp (?:add|remove)|extensions (?:install|link|update|uninstall))\b/,
  ],
  ['copilot', /--(?:allow-all\S*|yolo)\b/],
  ['cursor-agent', /(?:^|\s)(?:-f|--force|--yolo)\b/],
  ['aider', /--yes(?:-always)?\b|--auto-test\b|--suggest-shell-commands\b/],
  ['amp', /--dangerously-allow-all\b/],
  [
    'opencode crush kilocode cline',
    /--(?:yolo|dangerously\S*|auto-approve\S*)|(?:^|\s)(?:-y|--yes|--auto)\b|^mcp add\b|^run\b/,
  ],
  ['goose', /^(?:run|session)\b|^configure\b/],
  ['openhands openclaw clawdbot moltbot droid auggie', /^(?!--version|--help|status|doctor|logs|list|models)\S/],
  ['q kiro-cli', /--trust-all-tools\b|(?:^|\s)-a\b/],
  ['interpreter', /(?:^|\s)(?:-y|--auto_run)\b/],
];

/** Installers of skills and tool servers, which write into the folders of agents. */
const INSTALLERS: readonly ProgramRow[] = [
  [
    'skills add-skill openskills skillkit skillfish agent-skills',
    /^(?:add|install|i|update|sync|remove)\b|^[\w.-]+\/[\w.-]+|^https?:/,
  ],
  ['clawhub clawdhub molthub', /^(?:install|update|publish|uninstall|sync)\b/],
  ['smithery mcp-get mcpm mcp-installer', /^(?:install|add|uninstall|update|set|import)\b/],
  ['install-mcp add-mcp', /^[^-]/],
];

/** Other agents that would act for the user without asking, and what changes the abilities of agents. */
export const OTHER_AGENT_RULES: readonly CommandRule[] = [
  tableRule('start another agent', AGENTS),
  tableRule(AGENT_RULE, INSTALLERS),
  // `npx @smithery/cli install x --client hermes`
  {
    rule: AGENT_RULE,
    commands: ['cli'],
    everydayName: true,
    byArguments: true,
    when: ({ statement, args }) =>
      /@smithery\/cli\b/.test(statement) && /^(?:install|uninstall|run)$/.test(args[0] ?? ''),
  },
];
