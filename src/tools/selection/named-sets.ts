/** A group of tools under one name. It may name tools that are not there; those are simply absent. */
type NamedSet = {
  description: string;
  tools?: readonly string[];
  /** Other sets that belong to it. */
  includes?: readonly string[];
  /** What servers and plugins bring belongs to it as well. */
  open?: true;
};

const BROWSER_TOOLS = [
  'browser_navigate',
  'browser_snapshot',
  'browser_click',
  'browser_type',
  'browser_scroll',
  'browser_back',
  'browser_press',
  'browser_console',
  'browser_get_images',
  'browser_vision',
];

/** What belongs together. */
const GROUPS: Readonly<Record<string, NamedSet>> = {
  terminal: { description: 'run commands, in the foreground and beside', tools: ['terminal', 'process'] },
  file: { description: 'read, write and search files', tools: ['read_file', 'write_file', 'patch', 'search_files'] },
  web: { description: 'search the web and read pages', tools: ['web_search', 'web_extract'] },
  search: { description: 'search the web, without reading pages', tools: ['web_search'] },
  browser: { description: 'open pages and use them', tools: [...BROWSER_TOOLS, 'web_search'] },
  vision: { description: 'look at images', tools: ['vision_analyze'] },
  image_gen: { description: 'make images', tools: ['image_generate'] },
  tts: { description: 'turn text into speech', tools: ['text_to_speech'] },
  skills: { description: 'find, read and write skills', tools: ['skills_list', 'skill_view', 'skill_manage'] },
  memory: { description: 'remember across sessions', tools: ['memory'] },
  session_search: {
    description: 'search earlier sessions, and what left this one',
    tools: ['session_search', 'context_search', 'context_expand'],
  },
  todo: { description: 'keep a task list', tools: ['todo'] },
  clarify: { description: 'ask the user', tools: ['clarify'] },
  code_execution: { description: 'run scripts that call tools', tools: ['execute_code'] },
  delegation: { description: 'hand work to subagents', tools: ['delegate_task'] },
  cronjob: { description: 'plan jobs for later', tools: ['cronjob'] },
  messaging: { description: 'send messages to other places', tools: ['send_message'] },
  homeassistant: {
    description: 'see and switch what is in the house',
    tools: ['ha_list_entities', 'ha_get_state', 'ha_list_services', 'ha_call_service'],
  },
};

/** What fits an occasion. */
const OCCASIONS: Readonly<Record<string, NamedSet>> = {
  debugging: { description: 'commands, files and the web', includes: ['terminal', 'file', 'web'] },
  safe: { description: 'the web and images, without commands', includes: ['web', 'vision', 'image_gen'] },
  coding: {
    description: 'work on code',
    includes: ['terminal', 'file', 'web', 'skills', 'todo', 'memory', 'session_search', 'clarify'],
    tools: ['execute_code', 'delegate_task'],
  },
};

const CORE: NamedSet = {
  description: 'everything for everyday work',
  includes: Object.keys(GROUPS).filter((name) => name !== 'homeassistant'),
  tools: GROUPS['homeassistant']?.tools,
  open: true,
};

const PLATFORMS = [
  'cli',
  'acp',
  'api-server',
  'cron',
  'gateway',
  'telegram',
  'discord',
  'slack',
  'whatsapp',
  'signal',
  'matrix',
  'mattermost',
  'email',
  'sms',
  'dingtalk',
  'feishu',
  'wecom',
  'weixin',
  'qqbot',
  'bluebubbles',
  'homeassistant',
];

/** What a surface starts with. A webhook carries the words of strangers, so it gets nothing that could do harm. */
const PRESETS: Readonly<Record<string, NamedSet>> = {
  ...Object.fromEntries(PLATFORMS.map((platform) => [`hermes-${platform}`, CORE])),
  'hermes-webhook': {
    description: 'for messages of strangers',
    tools: ['web_search', 'web_extract', 'vision_analyze', 'clarify'],
  },
};

export const NAMED_SETS: Readonly<Record<string, NamedSet>> = { ...GROUPS, ...OCCASIONS, ...PRESETS };

/** Names that older configurations use. */
export const LEGACY_NAMES: Readonly<Record<string, string>> = {
  web_tools: 'web',
  terminal_tools: 'terminal',
  file_tools: 'file',
  vision_tools: 'vision',
  image_tools: 'image_gen',
  skills_tools: 'skills',
  browser_tools: 'browser',
  cronjob_tools: 'cronjob',
  tts_tools: 'tts',
};
