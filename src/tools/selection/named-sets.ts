/** A tool set. It may name tools that do not exist; they are ignored. */
type NamedSet = {
  description: string;
  tools?: readonly string[];
  /** Other tool sets that it contains. */
  includes?: readonly string[];
  /** It also contains all tools of MCP servers and plugins. */
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

/** Tool sets by topic. */
const GROUPS: Readonly<Record<string, NamedSet>> = {
  terminal: { description: 'run commands in the foreground and background', tools: ['terminal', 'process'] },
  file: { description: 'read, write and search files', tools: ['read_file', 'write_file', 'patch', 'search_files'] },
  web: { description: 'search the web and read pages', tools: ['web_search', 'web_extract'] },
  search: { description: 'search the web, without reading pages', tools: ['web_search'] },
  browser: { description: 'open and use web pages', tools: [...BROWSER_TOOLS, 'web_search'] },
  vision: { description: 'analyse images', tools: ['vision_analyze'] },
  image_gen: { description: 'generate images', tools: ['image_generate'] },
  tts: { description: 'turn text into speech', tools: ['text_to_speech'] },
  skills: { description: 'find, read and write skills', tools: ['skills_list', 'skill_view', 'skill_manage'] },
  memory: { description: 'save facts for later sessions', tools: ['memory'] },
  session_search: {
    description: 'search past sessions and compacted messages',
    tools: ['session_search', 'context_search', 'context_expand'],
  },
  todo: { description: 'keep a task list', tools: ['todo'] },
  clarify: { description: 'ask the user questions', tools: ['clarify'] },
  code_execution: { description: 'run scripts that call tools', tools: ['execute_code'] },
  delegation: { description: 'delegate tasks to subagents', tools: ['delegate_task'] },
  cronjob: { description: 'schedule jobs', tools: ['cronjob'] },
  messaging: { description: 'send messages to other platforms', tools: ['send_message'] },
  homeassistant: {
    description: 'read and control Home Assistant devices',
    tools: ['ha_list_entities', 'ha_get_state', 'ha_list_services', 'ha_call_service'],
  },
};

/** Tool sets for a purpose. */
const PURPOSES: Readonly<Record<string, NamedSet>> = {
  debugging: { description: 'commands, files and the web', includes: ['terminal', 'file', 'web'] },
  safe: { description: 'web and images, no commands', includes: ['web', 'vision', 'image_gen'] },
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

/** The default tool set of each surface. A webhook carries text from strangers, so it gets no dangerous tools. */
const PRESETS: Readonly<Record<string, NamedSet>> = {
  ...Object.fromEntries(PLATFORMS.map((platform) => [`hermes-${platform}`, CORE])),
  'hermes-webhook': {
    description: 'for messages from strangers',
    tools: ['web_search', 'web_extract', 'vision_analyze', 'clarify'],
  },
};

export const NAMED_SETS: Readonly<Record<string, NamedSet>> = { ...GROUPS, ...PURPOSES, ...PRESETS };

/** Names used in old configurations, and the current names. */
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
