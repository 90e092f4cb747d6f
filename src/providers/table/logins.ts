import type { ProviderRow } from '../provider-row.ts';

/** Subscriptions: what opens them is a login, not a key. They are never chosen by a variable alone. */
export const LOGINS: readonly ProviderRow[] = [
  {
    id: 'nous',
    name: 'Nous Portal',
    aliases: ['nous-portal', 'nousresearch'],
    baseUrl: 'https://inference-api.nousresearch.com/v1',
    apiMode: 'chat_completions',
    authType: 'login',
    keyVariables: [],
    defaultModel: 'anthropic/claude-sonnet-5',
    quirks: { effort: 'router', cacheMarks: 'claude' },
  },
  {
    id: 'openai-codex',
    name: 'OpenAI Codex',
    aliases: ['codex', 'chatgpt'],
    baseUrl: 'https://chatgpt.com/backend-api/codex',
    apiMode: 'codex_responses',
    authType: 'login',
    keyVariables: [],
    defaultModel: 'gpt-5.6-terra',
    // The service sets the limit of an answer itself.
    quirks: {
      ...{ noOutputLimit: true, streamOnly: true, reasoningSummary: true, toolResultImages: true },
      defaultInstructions: 'Answer the user.',
    },
    modelListing: { path: false },
  },
  {
    id: 'copilot',
    name: 'GitHub Copilot',
    aliases: ['github-copilot', 'github', 'github-models'],
    baseUrl: 'https://api.githubcopilot.com',
    apiMode: 'chat_completions',
    authType: 'login',
    keyVariables: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'],
    sharedVariables: ['GH_TOKEN', 'GITHUB_TOKEN'],
    defaultModel: 'gpt-5.4',
    // It serves editors, and asks which one is calling.
    headers: { 'copilot-integration-id': 'vscode-chat', 'editor-version': 'vscode/1.104.1' },
    quirks: { imageHeaders: { 'copilot-vision-request': 'true' } },
    modelRules: [
      { models: ['gpt-5-mini'], quirks: { outputLimitParameter: 'max_completion_tokens' } },
      { models: ['gpt-5', 'gpt-6'], apiMode: 'codex_responses' },
    ],
  },
  {
    id: 'copilot-acp',
    name: 'GitHub Copilot ACP',
    aliases: ['github-copilot-acp', 'copilot-acp-agent'],
    // No host: a program on this machine, which has its own login.
    baseUrl: 'acp://copilot',
    authType: 'command',
    keyVariables: [],
    defaultModel: 'copilot-acp',
    modelListing: { path: false },
    command: {
      program: 'copilot',
      arguments: ['--acp', '--stdio'],
      programVariables: ['HERMES_COPILOT_ACP_COMMAND', 'COPILOT_CLI_PATH'],
      argumentsVariable: 'HERMES_COPILOT_ACP_ARGS',
      variablePrefix: 'COPILOT_',
      install:
        'Install GitHub Copilot CLI with `npm install -g @github/copilot`, or name the program in HERMES_COPILOT_ACP_COMMAND.',
      login: 'Run `copilot login`, then try again.',
    },
  },
  {
    id: 'qwen-oauth',
    name: 'Qwen login',
    aliases: ['qwen-portal', 'qwen-cli'],
    baseUrl: 'https://portal.qwen.ai/v1',
    apiMode: 'chat_completions',
    authType: 'login',
    keyVariables: [],
    defaultModel: 'qwen3-coder-plus',
    quirks: {
      reasoningField: 'reasoning_content',
      effort: 'enable_thinking',
      cacheMarks: 'qwen',
      shortCacheOnly: true,
      carries: ['image'],
    },
  },
  {
    id: 'minimax-oauth',
    name: 'MiniMax login',
    aliases: ['minimax-portal'],
    baseUrl: 'https://api.minimax.io/anthropic',
    apiMode: 'anthropic_messages',
    authType: 'login',
    keyVariables: [],
    defaultModel: 'MiniMax-M3',
    quirks: { authHeader: 'bearer' },
  },
];
