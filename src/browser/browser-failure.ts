import { HermesError } from '../base/index.ts';

/** A browser error whose message is meant for the model. */
export class BrowserFailure extends HermesError {}
