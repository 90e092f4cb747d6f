import type { JsonObject, JsonValue } from '../base/index.ts';
import type { ContextEngineFactory } from './context-engine.ts';
import type { HookEvent, HookHandler } from './hook.ts';
import type { Logger } from './logger.ts';
import type { MemoryProvider } from './memory.ts';
import type { ToolContext, ToolDefinition } from './tool.ts';
import type { SessionReader } from './tool-services.ts';

/** What the module of a plugin exports. */
export type PluginModule = {
  /** Called once, when the plugin is loaded; it has some seconds. Nothing can be registered after it has ended. */
  register(host: Host): void | Promise<void>;
};

/**
 * All that a plugin has of Hermes. What it registers has to be named in its manifest, so that a person knows before any
 * of its code runs. What is refused is a line in the log and in `hermes plugins check`; the rest of the plugin goes on.
 */
export interface Host {
  /** Of Hermes; undefined where it runs from its sources. */
  readonly version: string | undefined;
  readonly plugin: { readonly name: string; readonly version: string; readonly folder: string };
  /** What the person wrote under `plugins.config.NAME`. */
  readonly config: Readonly<JsonObject>;
  /** Writes to the log of Hermes, with the name of the plugin. */
  readonly logger: Logger;
  /** A variable of `.env` or the environment, if the manifest names it in `requires_env`. */
  variable(name: string): string | undefined;
  registerTool(tool: PluginTool): void;
  /** Each call adds one; they are called in the order in which they came. */
  registerHook<Event extends HookEvent>(event: Event, handler: HookHandler<Event>): void;
  /** A slash command of chats. */
  registerCommand(command: PluginCommand): void;
  /** One that `context.engine` can name. */
  registerContextEngine(name: string, create: ContextEngineFactory): void;
  /** One that `memory.provider` can name. */
  registerMemoryProvider(name: string, create: PluginMemoryFactory): void;
}

export type PluginMemoryFactory = (parts: { sessions: SessionReader }) => MemoryProvider | Promise<MemoryProvider>;

/** A tool whose parameters are a JSON Schema. */
export type PluginTool = ToolDefinition & {
  /** The group it is switched on and off with; `plugin-NAME` where it does not say. */
  toolset?: string;
  emoji?: string;
  /** Only reads: the same call again gives the same answer, and calls run beside each other. */
  readOnly?: boolean;
  /** False where the plugin wrote every word of the answer itself; else the model gets it marked as text from outside. */
  outsideText?: boolean;
  /** Seldom needed and large: found with `tool_search` instead of being shown with every call. */
  onDemand?: boolean;
  /** Whether what it needs is there, or why not. */
  isAvailable?(): boolean | { reason: string } | Promise<boolean | { reason: string }>;
  /** What it throws is what the model reads. */
  run(args: JsonObject, context: ToolContext): Promise<string | JsonObject | JsonValue[]>;
};

export type PluginCommand = {
  /** Without the slash. */
  name: string;
  /** What it does, in a few words that go on after its name. */
  about: string;
  /** The form of its argument, as help shows it; absent for a command that takes none. */
  argument?: string;
  /** While a turn runs: it is done at once, or after it. */
  duringTurn?: 'at once' | 'afterwards';
  /** What it returns is shown. */
  run(argument: string, context: PluginCommandContext): Promise<string | undefined> | string | undefined;
};

/** The chat in which a command was given. */
export type PluginCommandContext = {
  sessionId: string;
  workingDirectory: string;
  print(text: string): void;
  /** Takes a turn, as if the person had typed this. */
  send(text: string): Promise<void>;
};
