/** The meanings of `diagnostics` and `language_servers`. */
export const LANGUAGE_SERVER_MEANINGS: Readonly<Record<string, string>> = {
  diagnostics: 'Errors and warnings of language servers in the results of file edits',
  'diagnostics.mode':
    'Where they are used: `chat` for chats with a user, `all` also for one-shot runs and batches, `off` for never',
  'diagnostics.detect': 'Whether installed language servers are used that are not under `language_servers`',
  'diagnostics.wait_seconds': 'How long the result of an edit waits for a language server, in seconds',
  'diagnostics.max_lines': 'The maximum number of errors and warnings shown for a file',
  language_servers: 'Language servers by name. The name of a built-in one, such as `typescript`, changes it',
  ...languageServer('command', 'The program and its arguments, as a list or separated by spaces'),
  ...languageServer('extensions', 'File extensions for which the server is used'),
  ...languageServer('language_id', 'The language identifier sent to the server. Default: depends on the extension'),
  ...languageServer('root_markers', 'Files that mark the root of a project, such as `go.mod`'),
  ...languageServer('initialization_options', 'Options sent to the server when it starts'),
  ...languageServer('disabled', 'Whether the server is not used. Default: `false`'),
};

function languageServer(key: string, about: string): Record<string, string> {
  return { [`language_servers.NAME.${key}`]: about };
}
