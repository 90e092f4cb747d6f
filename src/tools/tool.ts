import type { JsonObject, JsonValue } from '../base/index.ts';
import type { Concurrency, ToolContext, ToolDefinition, ToolServices } from '../contracts/index.ts';

/** What a tool answers: text as it is, or a value that the model reads as JSON. */
export type ToolAnswer = string | JsonObject | JsonValue[];

/** What a check may look at. */
export type ToolNeeds = { variables: Readonly<Record<string, string | undefined>>; services: ToolServices };
/** Whether a tool can be used, or why it cannot. */
export type Verdict = boolean | { reason: string };

/** What a tool says about itself apart from its parameters and its code. */
export type ToolTraits = {
  name: string;
  /** The group it is switched on and off with. */
  toolset: string;
  emoji?: string;
  /** Only reads: the same call again gives the same answer. */
  readOnly?: boolean;
  /** Talks to the person: a batch with it runs in sequence. */
  asksThePerson?: boolean;
  /** What the person is asked about first, as the end of the sentence "it asks before …". */
  asksBefore?: string;
  /** Costs no iteration when it is all a step did. */
  freeIteration?: boolean;
  /** Brings in text that others wrote: the model gets it marked as such. */
  outsideText?: boolean;
  /** Seldom needed and large: found with `tool_search` instead of being shown with every call. */
  onDemand?: boolean;
  /** What it works on; it is not offered where one of these is missing. */
  requiredServices?: readonly (keyof ToolServices)[];
  /** Variables without which it cannot work. */
  requiredVariables?: readonly string[];
};

/** An invalid argument. */
export type ArgumentFault = {
  path: readonly PropertyKey[];
  /** The limit that it breaks, if the schema for models leaves that limit out. */
  limit?: string | undefined;
  /** The tool has no such parameter. */
  isUnknown?: boolean;
};

/** The code of a tool, which is loaded when it is first called. */
export type ToolHandler = {
  /** Arguments as the handler takes them, or what is wrong with them. */
  parse(args: JsonObject): { args: JsonObject } | { faults: readonly ArgumentFault[] };
  concurrencyOf(args: JsonObject): Concurrency;
  /** What counts as the same call again; undefined for all arguments. */
  repeatKeyOf(args: JsonObject): string | undefined;
  run(args: JsonObject, context: ToolContext): Promise<ToolAnswer>;
};

/** A tool whose parameter types are forgotten, so that all tools fit one list. */
export type Tool = ToolTraits & {
  /** How its calls run beside others, as far as that can be said without one. */
  concurrency: Concurrency['mode'] | 'by arguments';
  /** Whether what it needs is there. An exception means no, and so does no answer in time. */
  isAvailable?(needs: ToolNeeds): Verdict | Promise<Verdict>;
  /** As it was written, with passages that are only for the company of other tools. */
  definition(): Promise<ToolDefinition>;
  load(): Promise<ToolHandler>;
};

/** Tools that come and go while the program runs. */
export interface ToolSource {
  readonly name: string;
  /** Those of plugins come after those of servers, so that they win where both have a name. */
  readonly kind: 'mcp' | 'plugin';
  /** What there is now; asked often, so it answers from memory. */
  tools(): readonly Tool[];
  /** What the first offer waits for; it has to end soon, and never rejects. Left out, nothing is waited for. */
  ready?(): Promise<void>;
}
