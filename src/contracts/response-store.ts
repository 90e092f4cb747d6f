import type { JsonObject } from '../base/index.ts';

/** `queued` until its turn begins. The other states except `in_progress` are final. */
export type ResponseStatus = 'queued' | 'in_progress' | 'completed' | 'failed' | 'incomplete' | 'cancelled';

/**
 * A response of the API: which messages of which session it produced. The messages themselves are in the session only.
 */
export type StoredResponse = {
  id: string;
  /** Whose key created it. To other keys it does not exist. */
  owner: string;
  /** The conversation that it belongs to, if any. */
  conversationId: string | undefined;
  /** The session in which the turn ended. It differs from the one in which it began if it was compressed. */
  sessionId: string;
  /** Its messages are those after this one in the session, up to and including `lastMessage`. */
  afterMessage: number;
  /** Undefined as long as the response is not final. */
  lastMessage: number | undefined;
  status: ResponseStatus;
  /** The process that runs the turn, for those that look for turns of dead processes. */
  process: string;
  createdAt: number;
  endedAt: number | undefined;
  /** What a client gets back of its request, such as the instructions. */
  request: JsonObject;
  /** Usage, error and model, once the response is final. */
  result: JsonObject;
};

export type NewResponse = Omit<StoredResponse, 'lastMessage' | 'endedAt' | 'result'> & { expiresAt: number };

export type ResponseEnd = {
  status: Exclude<ResponseStatus, 'queued' | 'in_progress'>;
  sessionId: string;
  lastMessage: number;
  endedAt: number;
  result: JsonObject;
};

/** A conversation of the API: a name for a session that changes when the session is compressed or branched. */
export type StoredConversation = {
  id: string;
  owner: string;
  /** Chosen by the client; undefined if the conversation has only an id. Unique per owner. */
  name: string | undefined;
  sessionId: string;
  createdAt: number;
  metadata: JsonObject;
};

/** The tables `api_responses` and `api_conversations`. */
export interface ResponseStore {
  addResponse(response: NewResponse): Promise<void>;
  getResponse(id: string, owner: string): Promise<StoredResponse | undefined>;
  /** Records that the turn of a queued response begins after this message. Returns false if it is final. */
  startResponse(id: string, start: { sessionId: string; afterMessage: number }): Promise<boolean>;
  /** Records the end of a response. Returns false if it was final before. */
  endResponse(id: string, end: ResponseEnd): Promise<boolean>;
  /** The responses of all owners that are not final, oldest first. */
  listOpenResponses(): Promise<StoredResponse[]>;
  /** The final responses whose messages are in one of these sessions, oldest first. */
  listResponsesIn(sessionIds: readonly string[], owner: string): Promise<StoredResponse[]>;
  /** Returns false if there is none. The messages stay in their session. */
  deleteResponse(id: string, owner: string): Promise<boolean>;
  /** Deletes final responses that expired before a time, and returns their ids. */
  pruneResponses(before: number): Promise<string[]>;
  /** Returns false if the owner has a conversation with this name. */
  addConversation(conversation: StoredConversation): Promise<boolean>;
  getConversation(id: string, owner: string): Promise<StoredConversation | undefined>;
  findConversation(name: string, owner: string): Promise<StoredConversation | undefined>;
  setConversationMetadata(id: string, owner: string, metadata: JsonObject): Promise<boolean>;
  /** Continues the conversation in another session, unless another process did so first. */
  moveConversation(id: string, from: string, to: string): Promise<boolean>;
  deleteConversation(id: string, owner: string): Promise<boolean>;
}
