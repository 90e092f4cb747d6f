import type { Platform } from '../../contracts/index.ts';
import type { EnvironmentVariables } from '../paths.ts';
import { toFlag } from '../schema-parts.ts';
import type { ConfigFile } from '../schema.ts';
import { type STREAMING_TRANSPORTS, TOOL_PROGRESS_MODES } from '../settings.ts';

export type ToolProgressMode = (typeof TOOL_PROGRESS_MODES)[number];

/** How an answer is shown while it is written. */
export type StreamingSettings = {
  /** `auto` and `draft`: by drafts where the platform has them, and by edits elsewhere. */
  transport: (typeof STREAMING_TRANSPORTS)[number];
  editIntervalMs: number;
  /** New characters that are shown before the interval has passed. */
  bufferThreshold: number;
  /** The mark at the end of an unfinished text. */
  cursor: string;
};

/** What the chats of a platform show of a turn. */
export type ChatDisplay = {
  /** Undefined if answers are shown only when they are complete. */
  streaming: StreamingSettings | undefined;
  toolProgress: ToolProgressMode;
  /** The maximum length of the description of a tool call. */
  previewLength: number;
  /** Whether the progress is removed after an answer. */
  cleanupProgress: boolean;
  /** Whether the text that the model writes between tool calls is sent. */
  interimMessages: boolean;
  showReasoning: boolean;
  /** Whether the chat of a long turn sees how long it has been working. */
  longRunning: boolean;
  /** Whether the message of the user gets a reaction while a turn works on it, and after that. */
  reactions: boolean;
  /** How long a question waits for an answer. */
  answerSeconds: number;
  /** How long a turn may do nothing before it is stopped; 0 is forever. */
  inactivitySeconds: number;
};

const DEFAULT_STREAMING: StreamingSettings = Object.freeze({
  transport: 'auto',
  editIntervalMs: 1000,
  bufferThreshold: 40,
  cursor: ' ▉',
});

const DEFAULT_PREVIEW = 40;
const ANSWER_SECONDS = 300;
const INACTIVITY_SECONDS = 1800;

type Tier = Pick<ChatDisplay, 'toolProgress' | 'interimMessages'> & { mayStream: boolean };

/** The defaults of platforms, as in the original: personal chats, chats with other readers, and no edits. */
const PERSONAL: Tier = { toolProgress: 'all', interimMessages: true, mayStream: true };
const SHARED: Tier = { toolProgress: 'new', interimMessages: true, mayStream: true };
const PLAIN: Tier = { toolProgress: 'off', interimMessages: false, mayStream: false };
const TIERS: Readonly<Record<Platform['display'], Tier>> = { personal: PERSONAL, shared: SHARED, plain: PLAIN };

type DisplaySources = {
  variables: EnvironmentVariables;
  /** Undefined for requests to webhooks, which are no chats of people. */
  platform: Platform | undefined;
};

/** The display of chats on a platform. The keys of the platform take precedence over those of all platforms. */
export function readChatDisplay(
  name: string,
  values: ConfigFile,
  { variables, platform }: DisplaySources,
): ChatDisplay {
  const { display = {} } = values;
  const own = display.platforms?.[name] ?? {};
  const tier = TIERS[platform?.display ?? 'plain'];
  const override = own.tool_progress ?? display.tool_progress_overrides?.[name] ?? display.tool_progress;
  // In existing files, 0 means the default.
  const previewLength = own.tool_preview_length || display.tool_preview_length || DEFAULT_PREVIEW;
  return {
    streaming: (own.streaming ?? (tier.mayStream && values.streaming?.enabled)) ? readStreaming(values) : undefined,
    toolProgress: override ?? readMode(variables['HERMES_TOOL_PROGRESS_MODE']) ?? tier.toolProgress,
    previewLength,
    cleanupProgress: own.cleanup_progress ?? display.cleanup_progress ?? false,
    interimMessages: own.interim_assistant_messages ?? display.interim_assistant_messages ?? tier.interimMessages,
    showReasoning: own.show_reasoning ?? display.show_reasoning ?? false,
    longRunning: own.long_running_notifications ?? display.long_running_notifications ?? tier.interimMessages,
    reactions: readReactions(name, { variables, platform }),
    answerSeconds: values.approvals?.gateway_timeout ?? platform?.answerSeconds ?? ANSWER_SECONDS,
    inactivitySeconds:
      readSeconds(variables['HERMES_AGENT_TIMEOUT']) ?? values.agent?.gateway_timeout ?? INACTIVITY_SECONDS,
  };
}

function readSeconds(text: string | undefined): number | undefined {
  const seconds = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

function readStreaming({ streaming = {} }: ConfigFile): StreamingSettings | undefined {
  const { transport = DEFAULT_STREAMING.transport, edit_interval: seconds } = streaming;
  if (transport === 'off') return undefined;
  return {
    transport,
    editIntervalMs: seconds === undefined ? DEFAULT_STREAMING.editIntervalMs : seconds * 1000,
    bufferThreshold: streaming.buffer_threshold ?? DEFAULT_STREAMING.bufferThreshold,
    cursor: streaming.cursor ?? DEFAULT_STREAMING.cursor,
  };
}

function readMode(text: string | undefined): ToolProgressMode | undefined {
  return TOOL_PROGRESS_MODES.find((mode) => mode === text?.trim().toLowerCase());
}

function readReactions(name: string, { variables, platform }: DisplaySources): boolean {
  const given = variables[`${platform?.prefix ?? name.toUpperCase()}_REACTIONS`]?.trim().toLowerCase();
  if (given === undefined || given === '') return platform?.hasNoReactions !== true;
  return given === 'true' || given === '1' || toFlag(given) === true;
}
