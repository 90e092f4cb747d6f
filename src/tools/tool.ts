import type { AttachedFile, JsonObject, JsonValue } from '../base/index.ts';
import type { Concurrency, ToolContext, ToolDefinition, ToolServices } from '../contracts/index.ts';
import type { OwnText } from './tool-stop.ts';

/** A text with images, which a model that accepts images sees together with it. */
export class AnswerWithImages {
  readonly text: string;
  readonly images: readonly AttachedFile[];

  constructor(text: string, images: readonly AttachedFile[]) {
    this.text = text;
    this.images = images;
  }
}

/** The return value of a tool: text, text with images, or a value that the model reads as JSON. */
export type ToolAnswer = string | OwnText | AnswerWithImages | JsonObject | JsonValue[];

/** The input of an availability check. */
export type ToolRequirements = { variables: Readonly<Record<string, string | undefined>>; services: ToolServices };
/** Whether a tool is available, or why it is not. */
export type AvailabilityResult = boolean | { reason: string };

/** Metadata of a tool, apart from its parameters and its handler. */
export type ToolTraits = {
  name: string;
  /** The tool set that it belongs to. */
  toolset: string;
  emoji?: string;
  /** The tool changes nothing, and a repeated call returns the same result. */
  readOnly?: boolean;
  /** The tool asks the user something, so a batch that contains it runs sequentially. */
  asksThePerson?: boolean;
  /** What the tool asks approval for, phrased to complete "it asks before …". */
  asksBefore?: string;
  /** A step that only calls such tools does not count as an iteration. */
  freeIteration?: boolean;
  /** Results contain untrusted text, which is delimited for the model. */
  outsideText?: boolean;
  /** How the delimiters describe this text; by default as untrusted text from the tool. */
  outsideLabel?: string;
  /** Rarely needed and large: not offered, but found with `tool_search`. */
  onDemand?: boolean;
  /** Services that it needs; it is not offered if one is missing. */
  requiredServices?: readonly (keyof ToolServices)[];
  /** Environment variables that it needs. */
  requiredVariables?: readonly string[];
};

/** An invalid argument. */
export type ArgumentFault = {
  path: readonly PropertyKey[];
  /** The violated limit, if the schema for models omits that limit. */
  limit?: string | undefined;
  /** The tool has no such parameter. */
  isUnknown?: boolean;
};

/** The code of a tool, loaded on its first call. */
export type ToolHandler = {
  /** Validates arguments and fills in defaults. */
  parse(args: JsonObject): { args: JsonObject } | { faults: readonly ArgumentFault[] };
  concurrencyOf(args: JsonObject): Concurrency;
  /** Identifies a repeated call; undefined means all arguments. */
  repeatKeyOf(args: JsonObject): string | undefined;
  run(args: JsonObject, context: ToolContext): Promise<ToolAnswer>;
};

/** A tool without its parameter types, so that all tools fit into one list. */
export type Tool = ToolTraits & {
  /** The concurrency of its calls, as far as it is known without arguments. */
  concurrency: Concurrency['mode'] | 'by arguments';
  /** The availability check. An exception or a timeout means unavailable. */
  isAvailable?(needs: ToolRequirements): AvailabilityResult | Promise<AvailabilityResult>;
  /** The definition with unresolved conditional passages. */
  definition(): Promise<ToolDefinition>;
  load(): Promise<ToolHandler>;
};

/** An MCP server or plugin whose tools may change at run time. */
export interface ToolSource {
  readonly name: string;
  /** Plugins come after MCP servers, so that a plugin wins if both have a tool of the same name. */
  readonly kind: 'mcp' | 'plugin';
  /** It has no tools yet and may never get any, so the tool bridge is not offered because of it. */
  readonly isDormant?: boolean;
  /** The current tools. Called often, so it must answer from memory. */
  tools(): readonly Tool[];
  /** The first offer waits for this. It must resolve soon and never reject. */
  ready?(): Promise<void>;
}
