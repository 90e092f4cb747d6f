import type { JsonObject, JsonValue } from '../base/index.ts';
import type { ContextEngineFactory } from './context-engine.ts';
import type { HookEvent, HookHandler } from './hook.ts';
import type { Logger } from './logger.ts';
import type { Platform } from './platform.ts';
import type { MemoryProvider } from './memory.ts';
import type { ToolContext, ToolDefinition } from './tool.ts';
import type { SessionReader } from './tool-services.ts';

/** What a plugin module exports. */
export type PluginModule = {
  /**
   * Called once when the plugin is loaded, with a timeout of some seconds. Nothing can be registered after it has
   * returned.
   */
  register(host: Host): void | Promise<void>;
};

/**
 * The plugin host: everything a plugin can access. A plugin must declare in its manifest what it registers, so that
 * the user knows before any of its code runs. A rejected registration is logged and shown by `hermes plugins check`;
 * the rest of the plugin still works.
 */
export interface Host {
  /** The version of Hermes; undefined if it runs from source. */
  readonly version: string | undefined;
  readonly plugin: { readonly name: string; readonly version: string; readonly folder: string };
  /** The user's settings under `plugins.config.NAME`. */
  readonly config: Readonly<JsonObject>;
  /** Writes to the Hermes log, with the name of the plugin. */
  readonly logger: Logger;
  /** An environment variable (or one from `.env`) that the manifest lists in `requires_env`. */
  variable(name: string): string | undefined;
  registerTool(tool: PluginTool): void;
  /** Adds a handler. Handlers are called in registration order. */
  registerHook<Event extends HookEvent>(event: Event, handler: HookHandler<Event>): void;
  /** Adds a slash command for chats. */
  registerCommand(command: PluginCommand): void;
  /** Adds a context engine that `context.engine` can name. */
  registerContextEngine(name: string, create: ContextEngineFactory): void;
  /** Adds a memory provider that `memory.provider` can name. */
  registerMemoryProvider(name: string, create: PluginMemoryFactory): void;
  /** Adds a messaging platform, which the gateway connects to if it is configured. */
  registerPlatform(platform: Platform): void;
}

export type PluginMemoryFactory = (parts: { sessions: SessionReader }) => MemoryProvider | Promise<MemoryProvider>;

/** A tool whose parameters are a JSON Schema. */
export type PluginTool = ToolDefinition & {
  /** The tool set it belongs to; `plugin-NAME` by default. */
  toolset?: string;
  emoji?: string;
  /** The tool only reads: repeated calls give the same result, and calls run in parallel. */
  readOnly?: boolean;
  /** `false` if the plugin itself wrote the entire result; otherwise it is marked as untrusted text for the model. */
  outsideText?: boolean;
  /** Rarely needed and large: found with `tool_search` instead of being sent with every request. */
  onDemand?: boolean;
  /** Whether the requirements of the tool are met, or why not. */
  isAvailable?(): boolean | { reason: string } | Promise<boolean | { reason: string }>;
  /** Runs the tool. If it throws, the model reads the message of the error. */
  run(args: JsonObject, context: ToolContext): Promise<string | JsonObject | JsonValue[]>;
};

export type PluginCommand = {
  /** Without the slash. */
  name: string;
  /** A short description that follows the name in help. */
  about: string;
  /** The form of the command's argument, as help shows it; absent if the command takes none. */
  argument?: string;
  /** Whether the command runs immediately or waits for the end of a running turn. */
  duringTurn?: 'immediately' | 'afterwards';
  /** Runs the command and returns the text to display. */
  run(argument: string, context: PluginCommandContext): Promise<string | undefined> | string | undefined;
};

/** The chat in which the command was entered. */
export type PluginCommandContext = {
  sessionId: string;
  workingDirectory: string;
  print(text: string): void;
  /** Runs a turn as if the user had typed this text. */
  send(text: string): Promise<void>;
};
