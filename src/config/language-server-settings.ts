import type { JsonObject } from '../base/index.ts';
import type { ConfigFile } from './schema.ts';

/** `diagnostics.mode`: in chats only, in all runs including one-shot runs and batches, or never. */
export const DIAGNOSTICS_MODES = ['chat', 'all', 'off'] as const;

/** `diagnostics.*`: what language servers report about edited files. */
export type DiagnosticsSettings = {
  mode: (typeof DIAGNOSTICS_MODES)[number];
  /** Whether installed servers are used that are not configured. */
  detect: boolean;
  /** How long the result of an edit waits for diagnostics. */
  waitSeconds: number;
  /** Maximum lines for one file. */
  maxLines: number;
};

/** `language_servers.<name>`. Missing values are those of the built-in server of the same name. */
export type LanguageServerSettings = {
  /** The program and its arguments. */
  command?: readonly string[] | undefined;
  /** File extensions without the dot. */
  extensions?: readonly string[] | undefined;
  /** The language id of the protocol, if it is not that of the file extension. */
  languageId?: string | undefined;
  rootMarkers?: readonly string[] | undefined;
  initializationOptions?: JsonObject | undefined;
  disabled: boolean;
};

export const DEFAULT_DIAGNOSTICS: DiagnosticsSettings = { mode: 'chat', detect: true, waitSeconds: 2.5, maxLines: 10 };

export function readDiagnosticsSettings(values: ConfigFile['diagnostics'] = {}): DiagnosticsSettings {
  return {
    mode: values.mode ?? DEFAULT_DIAGNOSTICS.mode,
    detect: values.detect ?? DEFAULT_DIAGNOSTICS.detect,
    waitSeconds: values.wait_seconds ?? DEFAULT_DIAGNOSTICS.waitSeconds,
    maxLines: values.max_lines ?? DEFAULT_DIAGNOSTICS.maxLines,
  };
}

/** `language_servers`; undefined if none is configured. */
export function readLanguageServers(
  servers: ConfigFile['language_servers'],
): Readonly<Record<string, LanguageServerSettings>> | undefined {
  if (servers === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(servers).map(([name, entry]) => [
      name,
      {
        command: entry.command,
        extensions: entry.extensions?.map((extension) => extension.replace(/^\./, '').toLowerCase()),
        languageId: entry.language_id,
        rootMarkers: entry.root_markers,
        initializationOptions: entry.initialization_options as JsonObject | undefined,
        disabled: entry.disabled ?? false,
      },
    ]),
  );
}
