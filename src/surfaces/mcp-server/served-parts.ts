import type { Actor, JsonObject } from '../../base/index.ts';

// What the server offers, in plain values: the protocol package is in a file of its own, which shares no classes with
// the rest.

/** The program that calls the server. */
export type McpCaller = {
  actor: Actor;
  /** Its key, if it calls over HTTP. Without one, the user has started it on this machine. */
  key?: McpKey;
};

/** An API key and its rights. */
export type McpKey = {
  name: string;
  /** Whether its bearer is the user. All others use the agent and their own sessions only. */
  isOwner?: boolean;
  /** Only these tool sets; undefined for the configured ones. */
  toolsets?: readonly string[];
  /** What its sessions may cost per day, in US dollars. */
  dayUsd?: number;
};

/** Whether the caller may use everything that belongs to the user. */
export function isUser({ key }: McpCaller): boolean {
  return key === undefined || key.isOwner === true;
}

/** A form for the user of the client. */
export type Elicitation = { message: string; requestedSchema: JsonObject };
export type ElicitationAnswer = { action: 'accept' | 'decline' | 'cancel'; content?: JsonObject | undefined };

/** One call of a tool. */
export type ServedCall = {
  caller: McpCaller;
  /** Aborted when the client cancels the call or disconnects. */
  signal: AbortSignal;
  /** Tells the client what is being done, if it wants to know. */
  progress(text: string): void;
  /** Whether the client can show a form to its user. */
  canElicit: boolean;
  /**
   * Shows a form to the user of the client. Undefined in newer protocol versions, in which a call returns the form, and
   * the client calls again with the answer.
   */
  elicit: ((form: Elicitation, signal: AbortSignal) => Promise<ElicitationAnswer>) | undefined;
  /** Set if the client calls again: the state that the first call returned with its form, and the answer. */
  resumed: { state: string; answer: ElicitationAnswer | undefined } | undefined;
};

/** A block of a result besides its text. */
export type ServedImage = { mimeType: string; base64: string };

export type ServedResult =
  | {
      /** The structured result. Its JSON is the text of the result unless there is another one. */
      result: JsonObject;
      text?: string;
      images?: readonly ServedImage[];
      isError?: boolean;
    }
  /** The call failed before it did anything. */
  | { error: string }
  | { form: Elicitation; state: string };

export type ServedTool = {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  annotations: { readOnlyHint: boolean; destructiveHint?: boolean; openWorldHint: boolean };
  /** Only the user may call it. */
  isPrivate: boolean;
  call(args: JsonObject, call: ServedCall): Promise<ServedResult>;
};

export type ServedResource = { uri: string; name: string; title?: string; description?: string; mimeType: string };
export type ResourceContent = { uri: string; mimeType: string } & ({ text: string } | { blob: string });

export interface ServedResources {
  readonly templates: readonly { uriTemplate: string; name: string; description: string; mimeType: string }[];
  list(cursor: string | undefined, caller: McpCaller): Promise<{ resources: ServedResource[]; nextCursor?: string }>;
  /** Undefined if there is no such resource, or the caller may not read it. */
  read(uri: string, caller: McpCaller): Promise<ResourceContent | undefined>;
}

/** Everything that the server offers. */
export type ServedParts = {
  version: string;
  instructions: string;
  tools: readonly ServedTool[];
  resources: ServedResources;
  /** Called with errors of the protocol that have no other effect. */
  onProblem(error: Error): void;
};
