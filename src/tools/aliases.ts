import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../base/index.ts';
import type { JsonSchema } from '../contracts/index.ts';
import { createOnce, quoteShellWord } from '../util/index.ts';
import { propertiesOf } from './schema-match.ts';

/**
 * Tool names, parameter names and argument shapes of other agents, mapped to ours. Models use what they were trained
 * with, and an error costs a turn. Aliases are accepted silently and do not appear in any schema. A real tool or
 * parameter always wins over an alias.
 */

/** How a call of another agent's tool becomes a call of ours. */
type ToolAlias = {
  tool: string | ((args: JsonObject) => string);
  /** Arguments that the other tool's name implies. */
  implied?: JsonObject;
};

type ArgumentAliases = {
  /** Our parameter → its names elsewhere. */
  names: Readonly<Record<string, readonly string[]>>;
  /** Parameters of other agents that make no difference here. */
  ignored?: readonly string[];
  /** Converts arguments of a different shape, after the names were mapped. */
  reshape?(args: JsonObject): JsonObject;
};

const PATH = ['file_path', 'filepath', 'filename', 'file', 'target_file', 'absolute_path'];
const WORKING_DIRECTORY = ['cwd', 'working_directory', 'directory', 'dir'];
const COMMENTS = ['description', 'explanation', 'justification'];

/** Created by the first call of an unknown tool. */
const toolAliases = createOnce(() =>
  byPlainName([
    [
      ['bash', 'shell', 'sh', 'exec', 'exec_command', 'run_command', 'execute_command', 'run_shell_command'],
      'terminal',
    ],
    [['run_terminal_cmd', 'run_in_terminal', 'local_shell', 'shell_command', 'container.exec'], 'terminal'],
    [['read', 'view', 'cat', 'view_file', 'open_file', 'NotebookRead'], 'read_file'],
    [['read_files', 'read_many_files', 'read_multiple_files', 'view_files', 'batch_read'], 'read_file'],
    [['write', 'create_file', 'save_file', 'write_to_file'], 'write_file'],
    [['edit', 'MultiEdit', 'edit_file', 'str_replace', 'replace', 'replace_in_file', 'search_replace'], 'patch'],
    [['apply_patch', 'apply_diff'], 'patch'],
    [['str_replace_editor', 'str_replace_based_edit_tool', 'text_editor'], editorTool],
    [['grep', 'grep_search', 'search', 'search_file_content', 'search_code'], 'search_files'],
    [['glob', 'find', 'find_files', 'file_search'], 'search_files', { target: 'files' }],
    [['ls', 'list_dir', 'list_directory', 'list_files'], 'search_files', { target: 'files', pattern: '*' }],
    [['WebFetch', 'fetch', 'fetch_url', 'read_url'], 'web_extract'],
    [['google_search', 'google_web_search', 'search_web'], 'web_search'],
    [['TodoWrite', 'TodoRead', 'update_plan', 'write_todos', 'manage_todo_list'], 'todo'],
    [['task', 'agent', 'dispatch_agent', 'spawn_agent', 'new_task'], 'delegate_task'],
    [['skill'], 'skill_view'],
    [['BashOutput', 'read_output'], 'process', { action: 'poll' }],
    [['KillShell', 'KillBash'], 'process', { action: 'kill' }],
    [['AskUserQuestion', 'ask_user', 'ask_followup_question'], 'clarify'],
    [['ExitPlanMode', 'exit_plan_mode'], 'clarify', { question: 'Approve this plan?' }],
    [['python', 'code_interpreter'], 'execute_code', { language: 'python' }],
  ]),
);

const ARGUMENT_ALIASES: Readonly<Record<string, ArgumentAliases>> = {
  terminal: {
    names: {
      command: ['cmd', 'script', 'commands', 'bash_command'],
      workdir: WORKING_DIRECTORY,
      background: ['run_in_background', 'is_background'],
    },
    // codex returns control after `yield_time_ms`; as a timeout it would kill the command.
    ignored: [...COMMENTS, 'yield_time_ms', 'max_output_tokens', 'login', 'with_escalated_permissions'],
    reshape: reshapeCommand,
  },
  read_file: {
    names: {
      path: [...PATH, 'paths', 'files', 'file_paths', 'filePaths', 'filenames', 'target_files'],
      offset: ['start_line', 'startLine', 'line', 'start_line_one_indexed'],
      limit: ['num_lines', 'max_lines', 'lines'],
    },
    ignored: [...COMMENTS, 'should_read_entire_file', 'command'],
    reshape: (args) => reshapePaths(reshapeRange(args)),
  },
  write_file: {
    names: { path: PATH, content: ['file_text', 'contents', 'text', 'data'] },
    ignored: [...COMMENTS, 'command'],
  },
  patch: {
    names: {
      path: PATH,
      old_string: ['old_str', 'oldText', 'old_text', 'oldString', 'search'],
      new_string: ['new_str', 'newText', 'new_text', 'newString', 'replace'],
      replace_all: ['replaceAll'],
      patch: ['input', 'diff', 'patch_text', 'patchText'],
    },
    ignored: [...COMMENTS, 'command', 'instruction', 'expected_replacements'],
    reshape: reshapeEdits,
  },
  search_files: {
    names: {
      pattern: ['query', 'regex', 'glob_pattern', 'search_term'],
      path: ['directory', 'dir', 'dir_path', 'folder', 'target_directory', 'DirectoryPath'],
      file_glob: ['glob', 'include', 'include_pattern', 'includes', 'file_pattern'],
      limit: ['head_limit', 'max_results', 'maxResults'],
      context: ['context_lines'],
    },
    ignored: [...COMMENTS, '-n', '--no-heading'],
    reshape: reshapeSearch,
  },
  todo: {
    names: { todos: ['items', 'tasks', 'plan', 'todo_list', 'todoList'] },
    ignored: COMMENTS,
    reshape: reshapeTodos,
  },
  memory: {
    names: { content: ['text', 'fact', 'memory'], old_text: ['old_content', 'old_string'] },
    reshape: (args) => (args['action'] === undefined && has(args, 'content') ? { ...args, action: 'add' } : args),
  },
  delegate_task: { names: {}, ignored: ['description', 'subagent_type'], reshape: reshapeTask },
  web_extract: { names: { urls: ['url', 'uri', 'link'] }, ignored: [...COMMENTS, 'prompt'] },
  web_search: { names: { query: ['q', 'search_query', 'search_term', 'search'] }, ignored: COMMENTS },
  skill_view: { names: { name: ['skill', 'skill_name'], file_path: ['file'] } },
  process: { names: { session_id: ['id', 'process_id', 'bash_id', 'shell_id', 'task_id'], data: ['input', 'chars'] } },
  execute_code: { names: { code: ['script', 'source', 'source_code'] }, ignored: COMMENTS },
  clarify: { names: { question: ['prompt', 'message'], choices: ['options', 'suggestions'] } },
  vision_analyze: { names: { image_url: ['image', 'path', 'file_path', 'url'], question: ['prompt', 'query'] } },
};

/** Without case, separators and the prefixes that some models put in front. */
export function plainName(name: string): string {
  return name
    .trim()
    .replace(/^(?:functions?|tools?|default_api)[.:/]+/i, '')
    .replace(/[\s_.-]+/g, '')
    .toLowerCase();
}

/** Finds our tool for the name of another agent's tool, and the arguments that this name implies. */
export function findAlias(name: string, args: JsonObject): { tool: string; implied: JsonObject } | undefined {
  const plain = plainName(name);
  const aliases = toolAliases();
  if (!Object.hasOwn(aliases, plain)) return undefined;
  const { tool, implied = {} } = aliases[plain] as ToolAlias;
  return { tool: typeof tool === 'string' ? tool : tool(args), implied };
}

/** The arguments under the names and in the shape that our tool expects. */
export function applyAliases(tool: string, schema: JsonSchema, given: JsonObject): JsonObject {
  if (!Object.hasOwn(ARGUMENT_ALIASES, tool)) return given;
  const { names, ignored = [], reshape } = ARGUMENT_ALIASES[tool] as ArgumentAliases;
  const properties = propertiesOf(schema);
  const args = { ...given };
  for (const [name, aliases] of Object.entries(names)) {
    const alias = aliases.find((each) => has(args, each) && !Object.hasOwn(properties, each));
    if (alias === undefined || has(args, name) || !Object.hasOwn(properties, name)) continue;
    args[name] = args[alias] as JsonValue;
    delete args[alias];
  }
  const reshaped = reshape?.(args) ?? args;
  return Object.fromEntries(
    Object.entries(reshaped).filter(([name]) => Object.hasOwn(properties, name) || !ignored.includes(name)),
  );
}

function byPlainName(rows: readonly [readonly string[], ToolAlias['tool'], JsonObject?][]): Record<string, ToolAlias> {
  return Object.fromEntries(
    rows.flatMap(([names, tool, implied]) =>
      names.map((name) => [plainName(name), implied === undefined ? { tool } : { tool, implied }] as const),
    ),
  );
}

function has(args: JsonObject, name: string): boolean {
  return Object.hasOwn(args, name) && args[name] !== null && args[name] !== undefined;
}

function without(args: JsonObject, ...names: string[]): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));
}

/** Anthropic's editor tool corresponds to several of our tools; its `command` selects one. */
function editorTool({ command }: JsonObject): string {
  if (command === 'view') return 'read_file';
  return command === 'create' ? 'write_file' : 'patch';
}

/** Words that the shell takes as they are. */
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/**
 * Converts a command list to a command line: `["bash", "-lc", "ls -l"]` becomes `ls -l`, and the words of any other
 * list are quoted.
 */
function reshapeCommand(args: JsonObject): JsonObject {
  const command = commandOf(args['command']);
  const milliseconds = has(args, 'timeout') ? undefined : args['timeout_ms'];
  return {
    ...without(args, 'timeout_ms'),
    ...(command !== undefined && { command }),
    ...(typeof milliseconds === 'number' && { timeout: milliseconds / 1000 }),
  };
}

function commandOf(command: JsonValue | undefined): JsonValue | undefined {
  if (!Array.isArray(command) || !command.every((word) => typeof word === 'string')) return command;
  const [shell = '', flag = '', script] = command;
  const isScript = /^(?:.*\/)?(?:ba|z|da)?sh$/.test(shell) && /^-[a-z]*c$/.test(flag) && command.length === 3;
  return isScript ? script : command.map((word) => (PLAIN_WORD.test(word) ? word : quoteShellWord(word))).join(' ');
}

/** Converts `end_line` and `view_range`, which give the last line, to `limit`, which is a number of lines. */
function reshapeRange(args: JsonObject): JsonObject {
  const range = args['view_range'];
  const [first, last] = Array.isArray(range) ? range : [args['offset'], endLineOf(args)];
  const start = typeof first === 'number' ? first : 1;
  return {
    ...without(args, 'view_range', 'end_line', 'endLine', 'end_line_one_indexed'),
    ...(typeof first === 'number' && { offset: first }),
    ...(typeof last === 'number' && last >= start && !has(args, 'limit') && { limit: last - start + 1 }),
  };
}

/** Converts a list of files that is written as JSON text, or as objects that each have a path. */
function reshapePaths(args: JsonObject): JsonObject {
  const { path } = args;
  const parsed = typeof path === 'string' && path.startsWith('[') ? parseJson(path) : path;
  if (!Array.isArray(parsed)) return args;
  const names = ['path', ...PATH];
  const paths = parsed.map((item) => {
    const name = isJsonObject(item) ? names.find((each) => typeof item[each] === 'string') : undefined;
    return isJsonObject(item) && name !== undefined ? (item[name] as JsonValue) : item;
  });
  return paths.every((item) => typeof item === 'string') ? { ...args, path: paths } : args;
}

function endLineOf(args: JsonObject): JsonValue | undefined {
  return args['end_line'] ?? args['endLine'] ?? args['end_line_one_indexed'];
}

/** Renames the fields of each edit to ours. */
function reshapeEdits(args: JsonObject): JsonObject {
  const edits = typeof args['edits'] === 'string' ? parseJson(args['edits']) : args['edits'];
  if (!Array.isArray(edits)) return args;
  return { ...args, edits: edits.map((edit) => (isJsonObject(edit) ? renameEdit(edit) : edit)) };
}

const EDIT_NAMES = ['old_string', 'new_string', 'replace_all'];

function renameEdit(edit: JsonObject): JsonObject {
  const { names } = ARGUMENT_ALIASES['patch'] as ArgumentAliases;
  const entries = Object.entries(edit).map(([key, value]): [string, JsonValue] => {
    return [EDIT_NAMES.find((name) => names[name]?.includes(key)) ?? key, value];
  });
  return Object.fromEntries(entries);
}

const OUTPUT_MODES: Readonly<Record<string, string>> = { files_with_matches: 'files_only', files: 'files_only' };

function reshapeSearch(args: JsonObject): JsonObject {
  const ignoreCase = args['-i'] === true || args['ignore_case'] === true || args['case_sensitive'] === false;
  const { pattern, type, output_mode: mode } = args;
  // Lines before and after a match have one number here.
  const around = ['-A', '-B', '-C'].flatMap((name) => (typeof args[name] === 'number' ? [args[name]] : []));
  // A glob without a pattern means a search for file names.
  const byName = !has(args, 'pattern') && has(args, 'file_glob');
  return {
    ...without(args, '-i', 'ignore_case', 'case_sensitive', 'type', '-A', '-B', '-C', ...(byName ? ['file_glob'] : [])),
    ...(byName && { pattern: args['file_glob'] as JsonValue, target: 'files' }),
    ...(ignoreCase && typeof pattern === 'string' && args['target'] !== 'files' && { pattern: `(?i)${pattern}` }),
    ...(around.length > 0 && !has(args, 'context') && { context: Math.max(...around) }),
    ...(typeof type === 'string' && !has(args, 'file_glob') && { file_glob: `*.${type}` }),
    ...(typeof mode === 'string' && Object.hasOwn(OUTPUT_MODES, mode) && { output_mode: OUTPUT_MODES[mode] as string }),
  };
}

const STATUSES: Readonly<Record<string, string>> = { done: 'completed', 'in-progress': 'in_progress', todo: 'pending' };

/** Items without an id get their position as one, and other names of their fields are mapped. */
function reshapeTodos(args: JsonObject): JsonObject {
  const todos = typeof args['todos'] === 'string' ? parseJson(args['todos']) : args['todos'];
  if (!Array.isArray(todos)) return args;
  return { ...args, todos: todos.map((item, index) => (isJsonObject(item) ? reshapeTodo(item, index + 1) : item)) };
}

function reshapeTodo(item: JsonObject, position: number): JsonObject {
  const content = item['content'] ?? item['step'] ?? item['task'] ?? item['title'] ?? item['text'];
  const status = item['status'] ?? 'pending';
  return {
    ...item,
    id: item['id'] ?? String(position),
    ...(content !== undefined && { content }),
    status: typeof status === 'string' && Object.hasOwn(STATUSES, status) ? (STATUSES[status] as string) : status,
  };
}

const TASK_FIELDS = ['goal', 'context', 'toolsets', 'model', 'output_schema'];

/** Wraps a single task in a list. */
function reshapeTask(args: JsonObject): JsonObject {
  if (has(args, 'tasks')) return args;
  const goal = args['goal'] ?? args['prompt'] ?? args['task'];
  if (goal === undefined) return args;
  const task = Object.fromEntries(Object.entries(args).filter(([name]) => TASK_FIELDS.includes(name)));
  return { ...without(args, 'prompt', 'task', ...TASK_FIELDS), tasks: [{ ...task, goal }] };
}
